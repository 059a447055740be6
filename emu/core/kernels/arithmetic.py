"""Two-operand and immediate arithmetic, comparisons, logic and select."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from emu.core.kernels import integers
from emu.core.kernels.constant import ConstantKernel, Ufunc
from emu.core.kernels.convert import immediate
from emu.core.kernels.pieces import BlockKernel
from emu.core.kernels.spec import Kernel, KernelSpec, Maker, UfuncKernel
from emu.isa.dtypes import DType

ARITHMETIC: dict[str, Ufunc] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
COMPARISONS: dict[str, Ufunc] = {
    "equal": np.equal,
    "not equal": np.not_equal,
    "less": np.less,
    "less or equal": np.less_equal,
    "greater": np.greater,
    "greater or equal": np.greater_equal,
}
BITS: dict[str, Ufunc] = {"and": np.bitwise_and, "or": np.bitwise_or, "exclusive or": np.bitwise_xor}


def _plain(operation: Ufunc) -> Kernel:
    return UfuncKernel(operation)


def _trapping(operation: Ufunc) -> Kernel:
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        integers.refuse_overflow(operation, *sources)
        operation(*sources, out=dst)

    return kernel


def _dividing(divide: Callable[..., np.ndarray]) -> Kernel:
    """Division of integers, or its remainder: no divisor is zero."""
    divided = BlockKernel(divide)

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        integers.refuse_zero(sources[1])
        divided(dst, *sources)

    return kernel


def _arithmetic(operation: Ufunc, spec: KernelSpec) -> Kernel:
    """`.sat`, `.trap`, integer division, or one NumPy call."""
    if "sat" in spec.flags:
        return BlockKernel(partial(integers.saturated, operation))
    if "trap" in spec.flags:
        return _trapping(operation)
    if operation is np.divide and not spec.types[0].is_float:
        return _dividing(integers.truncating_divide)
    return _plain(operation)


def _remainder(operation: Ufunc, spec: KernelSpec) -> Kernel:
    return _plain(operation) if spec.types[0].is_float else _dividing(operation)


def _power(spec: KernelSpec) -> Kernel:
    if not spec.types[0].is_float:
        return BlockKernel(integers.power)

    def compute(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
        # NumPy has other code for exponents that are all the same element: none may look so, not even a single one.
        both = np.zeros((2, base.size + 1), np.float32)
        both[0, :-1].reshape(base.shape)[...], both[1, :-1].reshape(base.shape)[...] = base, exponent
        return np.power(*both)[:-1].reshape(base.shape)

    return BlockKernel(compute)


def _with_immediate(operation: Ufunc, spec: KernelSpec) -> Kernel:
    """The same with a constant second operand, in f32 for both float types."""
    dtype = spec.types[0]
    constant = immediate(spec.imm, dtype)
    if dtype == DType.f16:  # the immediate keeps f32 precision: compute in f32, round once
        return BlockKernel(lambda x: operation(x.astype(np.float32), constant))
    if not dtype.is_float and (spec.flags or operation is np.divide):
        inner = _arithmetic(operation, spec)
        return lambda dst, /, *sources: inner(dst, sources[0], np.broadcast_to(constant, sources[0].shape))
    if operation in (np.maximum, np.minimum):
        return ConstantKernel(operation, constant)
    return UfuncKernel(operation, (np.asarray(constant),))  # NumPy takes arrays faster than numbers


def _compare(operation: Ufunc, spec: KernelSpec) -> Kernel:
    truth = spec.types[0] == DType.bool

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operands = [source != 0 for source in sources] if truth else sources
        operation(*operands, out=dst.view(np.bool_))

    return kernel


def _bits(operation: Ufunc, spec: KernelSpec) -> Kernel:
    if spec.types[0] == DType.bool:
        return BlockKernel(lambda a, b: operation(a != 0, b != 0))
    return _plain(operation)


def _select(spec: KernelSpec) -> Kernel:
    return BlockKernel(lambda mask, a, b: np.where(mask != 0, a, b))


MAKERS: dict[str, Maker] = {
    **{name: partial(_arithmetic, operation) for name, operation in ARITHMETIC.items()},
    **{f"{name} immediate": partial(_with_immediate, operation) for name, operation in ARITHMETIC.items()},
    **{name: partial(_compare, operation) for name, operation in COMPARISONS.items()},
    **{name: partial(_bits, operation) for name, operation in BITS.items()},
    "shift left": lambda spec: BlockKernel(integers.shift_left),
    "shift right": lambda spec: BlockKernel(integers.shift_right),
    "select": _select,
    "power of two operands": _power,
    "remainder with the sign of the divisor": partial(_remainder, np.remainder),
    "remainder with the sign of the dividend": partial(_remainder, np.fmod),
}
