"""The type of kernels, and the specification that a kernel is made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from emu.isa.dtypes import DType

if TYPE_CHECKING:
    from emu.core.crossbars.crossbar import Crossbar
    from emu.core.crossbars.origin import Origin


class Kernel(Protocol):
    """Computes `dst` from `sources`: arrays [*iterations, elements] that may be strided or unaligned.

    The arguments are the operands in their order: if an instruction has no destination, the first one is a source.

    It reads everything before it writes, in iteration order; bool operands come as uint8. Raises Fault, with
    nothing written, when the data traps.
    """

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        ...


Call = Callable[[], object]  # of a kernel, with its operands


def copying(dst: np.ndarray, source: np.ndarray) -> Call:
    """What copies `source` to `dst`, for less than a call of `np.copyto` costs."""
    return partial(dst.__setitem__, ..., source)


@dataclass(frozen=True, slots=True)
class UfuncKernel:
    """A kernel that is one call of a function of NumPy, with `constants` behind the sources."""

    function: Callable[..., np.ndarray]
    constants: tuple[object, ...] = ()

    def __call__(self, dst: np.ndarray, /, *sources: np.ndarray) -> None:
        """Compute."""
        self.function(*sources, *self.constants, out=dst)

    def bound(self, dst: np.ndarray, /, *sources: np.ndarray) -> Call:
        """The function itself, with its operands."""
        return partial(self.function, *sources, *self.constants, out=dst)


def bound(kernel: Kernel, operands: Sequence[np.ndarray]) -> Call:
    """The call of `kernel` with its operands, for a kernel that is called again and again with these.

    A kernel with a method `bound`, which takes the same, settles there what does not depend on the elements.
    """
    inner, named = (kernel.func, kernel.keywords) if isinstance(kernel, partial) else (kernel, {})
    bind: Callable[..., Call] | None = getattr(inner, "bound", None)
    return partial(kernel, *operands) if bind is None else bind(*operands, **named)


@dataclass(frozen=True, slots=True)
class KernelSpec:
    """The fixed part of an instruction, from which its kernel is made."""

    name: str  # of the instruction, for those who measure kernels
    types: tuple[DType, ...]
    flags: frozenset[str]
    imm: float
    n: int
    arg0: int
    arg1: int
    group: Crossbar | None = None  # of instructions on array groups
    origin: Origin | None = None  # their kernels take another one as an argument of this name


Maker = Callable[[KernelSpec], Kernel]


def storage(dtype: DType) -> np.dtype:
    """The NumPy type under which kernels see elements of `dtype` (bool as bytes: any nonzero byte is true)."""
    return np.dtype(np.uint8) if dtype == DType.bool else dtype.numpy
