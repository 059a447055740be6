"""Checks the cores that computes and programs are placed on: text edited by hand may name any."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp

from compiler.dialects import pim, spat
from compiler.dialects.names import RESIDENT
from compiler.kernels.kernel import Kernel
from compiler.partition.matrix import capacity, widest
from compiler.session.context import CompilerContext
from emu.errors import CompileError, option
from emu.isa.dtypes import DType


def check_cores(context: CompilerContext, computes: Iterable[spat.ComputeOp]) -> None:
    """Raise CompileError unless each compute is on a core that may be used and has crossbars left for it."""
    computes = list(computes)
    kinds = weight_types(context, computes)
    arch, limit, room = context.arch, context.cores, capacity(context.arch, kinds)
    cells = arch.cells(widest(arch, kinds))
    held: dict[int, Counter[int]] = defaultdict(Counter)  # by core and segment
    for op in computes:
        core, taken = op.number, crossbars(op)
        if op.core is None:
            raise CompileError(f"{context.line_of(op)}node {op.node.data} has no core: run the pass place before")
        if core < 0:
            _refuse(context, op, "cores are numbered from 0")
        if core >= arch.cores:
            _refuse(context, op, f"architecture {arch.name} has cores 0 to {arch.cores - 1}")
        if core >= limit:
            _refuse(
                context,
                op,
                f"{option('cores', limit)} allows cores 0 to {limit - 1}: use {option('cores', core + 1)} or more",
            )
        here = held[core]
        here[op.stay] += taken
        total = here[RESIDENT] + max((count for segment, count in here.items() if segment != RESIDENT), default=0)
        if taken and total > room:
            _refuse(
                context,
                op,
                f"its {taken * cells} crossbars of {widest(arch, kinds).numpy.name} weights make that {total * cells},"
                f" and a core of architecture {arch.name} holds {arch.core.crossbars}: place one of its computes on"
                " another core",
            )


def core_numbers(module: ModuleOp, context: CompilerContext) -> set[int]:
    """The cores that get a program; raises CompileError for one that the chip does not have, or that occurs twice."""
    numbers: set[int] = set()
    for op in module.ops:
        if isinstance(op, pim.CoreOp):
            core, cores = op.coreId.value.data, context.arch.cores
            if not 0 <= core < cores:
                raise CompileError(
                    f"{context.line_of(op)}coreId {core} is no core of architecture {context.arch.name}, which has"
                    f" cores 0 to {cores - 1}"
                )
            if core in numbers:
                raise CompileError(f"{context.line_of(op)}core {core} has a program already: give each core one")
            numbers.add(core)
    return numbers


def crossbars(op: spat.ComputeOp) -> int:
    """Logical crossbars that hold the weights of a compute; kernels of one `unit` share them."""
    kernels = [kernel for kernel in op.body.block.ops if isinstance(kernel, Kernel)]
    shared = {kernel.unit: kernel.crossbars for kernel in kernels if kernel.unit is not None}
    return sum(kernel.crossbars for kernel in kernels if kernel.unit is None) + sum(shared.values())


def weight_types(context: CompilerContext, computes: Iterable[spat.ComputeOp]) -> set[DType]:
    """The element types of all weights on crossbars."""
    kernels = [kernel for op in computes for kernel in op.body.block.ops if isinstance(kernel, Kernel)]
    return {kernel.weight_type(context.weights) for kernel in kernels if kernel.crossbars}


def _refuse(context: CompilerContext, op: spat.ComputeOp, reason: str) -> NoReturn:
    raise CompileError(f"{context.line_of(op)}node {op.node.data} is placed on core {op.number}, but {reason}")
