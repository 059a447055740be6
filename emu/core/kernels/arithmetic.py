"""Two-operand and immediate arithmetic, comparisons, logic and select."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from emu.core.crossbars.blocks import blockwise
from emu.core.kernels import integers
from emu.core.kernels.convert import immediate
from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.isa.dtypes import DType

Ufunc = Callable[..., np.ndarray]
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
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operation(*sources, out=dst)

    return kernel


def _pieces(function: Callable[..., np.ndarray]) -> Kernel:
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        blockwise(function, dst, *sources)

    return kernel


def _trapping(operation: Ufunc) -> Kernel:
    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        integers.refuse_overflow(operation, *sources)
        operation(*sources, out=dst)

    return kernel


def _dividing(dst: np.ndarray, /, *sources: np.ndarray) -> None:
    integers.refuse_zero(sources[1])
    blockwise(integers.truncating_divide, dst, *sources)


def _arithmetic(operation: Ufunc, spec: KernelSpec) -> Kernel:
    """`.sat`, `.trap`, integer division, or one NumPy call."""
    if "sat" in spec.flags:
        return _pieces(partial(integers.saturated, operation))
    if "trap" in spec.flags:
        return _trapping(operation)
    if operation is np.divide and not spec.types[0].is_float:
        return _dividing
    return _plain(operation)


def _with_immediate(operation: Ufunc, spec: KernelSpec) -> Kernel:
    """The same with a constant second operand, in f32 for both float types."""
    dtype = spec.types[0]
    constant = immediate(spec.imm, dtype)
    if dtype == DType.f16:  # the immediate keeps f32 precision: compute in f32, round once
        return _pieces(lambda x: operation(x.astype(np.float32), constant))
    if not dtype.is_float and (spec.flags or operation is np.divide):
        inner = _arithmetic(operation, spec)
        return lambda dst, /, *sources: inner(dst, sources[0], np.broadcast_to(constant, sources[0].shape))

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operation(sources[0], constant, out=dst)

    return kernel


def _compare(operation: Ufunc, spec: KernelSpec) -> Kernel:
    truth = spec.types[0] == DType.bool

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operands = [source != 0 for source in sources] if truth else sources
        operation(*operands, out=dst.view(np.bool_))

    return kernel


def _bits(operation: Ufunc, spec: KernelSpec) -> Kernel:
    if spec.types[0] == DType.bool:
        return _pieces(lambda a, b: operation(a != 0, b != 0))
    return _plain(operation)


def _select(spec: KernelSpec) -> Kernel:
    return _pieces(lambda mask, a, b: np.where(mask != 0, a, b))


MAKERS: dict[str, Maker] = {
    **{name: partial(_arithmetic, operation) for name, operation in ARITHMETIC.items()},
    **{f"{name} immediate": partial(_with_immediate, operation) for name, operation in ARITHMETIC.items()},
    **{name: partial(_compare, operation) for name, operation in COMPARISONS.items()},
    **{name: partial(_bits, operation) for name, operation in BITS.items()},
    "shift left": lambda spec: _pieces(integers.shift_left),
    "shift right": lambda spec: _pieces(integers.shift_right),
    "select": _select,
}
