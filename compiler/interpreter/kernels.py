"""All kernels by name, and what they do to tiles: rows of outputs, with their activations."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.basis.weights import Array
from compiler.dialects.kernel import KernelOp
from compiler.interpreter import kernel_elements, kernel_products
from compiler.interpreter.calls import KernelCall, KernelMeaning
from compiler.interpreter.scalars import activate

KERNELS: Mapping[str, KernelMeaning] = {**kernel_products.MEANINGS, **kernel_elements.MEANINGS}


def run_kernel(call: KernelCall) -> list[Array]:
    """The rows of each output, activations applied."""
    op: KernelOp = call.op
    made = enumerate(KERNELS[op.name](call))
    return [activate(array.astype(call.dtype(index), copy=False), op.activations) for index, array in made]
