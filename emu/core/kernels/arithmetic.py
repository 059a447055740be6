"""Two-operand and immediate arithmetic, comparisons, logic and select."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from emu.core.kernels import integers
from emu.core.kernels.blocks import blockwise
from emu.core.kernels.convert import immediate
from emu.core.kernels.spec import Kernel, KernelSpec, Maker
from emu.isa.dtypes import DType

Ufunc = Callable[..., np.ndarray]
WRAPPING: dict[str, Ufunc] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
PLAIN: dict[str, Ufunc] = {**WRAPPING, "max": np.maximum, "min": np.minimum, "div": np.divide}
BITS: dict[str, Ufunc] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
COMPARE: dict[str, Ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


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


def may_trap(name: str, types: tuple[DType, ...], flags: frozenset[str], n: int) -> bool:
    """Whether the data of this instruction can make it trap."""
    divides = name in ("vvdiv", "vsdiv") or (name == "vavg" and n == 0)
    return "trap" in flags or name == "vlut" or (divides and not types[0].is_float)


def _dividing(dst: np.ndarray, /, *sources: np.ndarray) -> None:
    integers.refuse_zero(sources[1])
    blockwise(integers.truncating_divide, dst, *sources)


def _arithmetic(spec: KernelSpec) -> Kernel:
    """`vvadd` and relatives: `.sat`, `.trap`, integer division, or one NumPy call."""
    operation = PLAIN[spec.name[2:]]
    if "sat" in spec.flags:
        return _pieces(partial(integers.saturated, operation))
    if "trap" in spec.flags:
        return _trapping(operation)
    if operation is np.divide and not spec.types[0].is_float:
        return _dividing
    return _plain(operation)


def _with_immediate(spec: KernelSpec) -> Kernel:
    """`vsadd` and relatives: a constant second operand, in f32 for both float types."""
    dtype = spec.types[0]
    operation, constant = PLAIN[spec.name[2:]], immediate(spec.imm, dtype)
    if dtype == DType.f16:  # the immediate keeps f32 precision: compute in f32, round once
        return _pieces(lambda x: operation(x.astype(np.float32), constant))
    if may_trap(spec.name, spec.types, spec.flags, spec.n) or "sat" in spec.flags:
        inner = _arithmetic(spec)
        return lambda dst, /, *sources: inner(dst, sources[0], np.broadcast_to(constant, sources[0].shape))

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operation(sources[0], constant, out=dst)

    return kernel


def _compare(spec: KernelSpec) -> Kernel:
    operation = COMPARE[spec.name[2:]]
    truth = spec.types[0] == DType.bool

    def kernel(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        operands = [source != 0 for source in sources] if truth else sources
        operation(*operands, out=dst.view(np.bool_))

    return kernel


def _bits(spec: KernelSpec) -> Kernel:
    operation = BITS[spec.name[2:]]
    if spec.types[0] == DType.bool:
        return _pieces(lambda a, b: operation(a != 0, b != 0))
    return _plain(operation)


def _select(spec: KernelSpec) -> Kernel:
    return _pieces(lambda mask, a, b: np.where(mask != 0, a, b))


MAKERS: dict[str, Maker] = {
    **{f"vv{name}": _arithmetic for name in PLAIN},
    **{f"vs{name}": _with_immediate for name in PLAIN},
    **{f"vv{name}": _compare for name in COMPARE},
    **{f"vv{name}": _bits for name in BITS},
    "vvsll": lambda spec: _pieces(integers.shift_left),
    "vvsra": lambda spec: _pieces(integers.shift_right),
    "vsel": _select,
}
