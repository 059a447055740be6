"""How machines that compute one network together come to the same bits, each with a processor and BLAS of its own.

A machine tells digests of what it computes by each way that gives a row its own bits. Machines may multiply by
different ways if these have the same bits: one that is fast here may need columns of zeros there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache

import numpy as np

from emu.core.kernels.functions import MAKERS
from emu.core.kernels.spec import KernelSpec
from emu.core.products.probe import bits, steady
from emu.core.products.ways import WAYS
from emu.errors import InputError
from emu.isa.dtypes import DType

Bits = Mapping[str, str]  # way -> digest of its products, the fastest first
FUNCTIONS = "functions"  # in place of a way: the digest of activations and other functions
OF_INTEGERS = ("complement",)  # functions that are not of floats
NUMBERS = 4096
LAUNCHER = "the launcher"  # its machine, among those with names


@cache
def own_bits() -> dict[str, str]:
    """What this machine computes: the digest of each way whose rows have their own bits, and of functions."""
    ways = {way.name: _digest(bits(way)) for way in WAYS if steady(way)}
    return {**ways, FUNCTIONS: _digest(_function_bits())}


def agree(machines: Mapping[str, Bits]) -> dict[str, str]:
    """The way of each of `machines` (by name, what `own_bits` has told there) so that all have the same bits.

    These are those of the first machine's fastest way if all have them, else of the next that all have. Raises
    InputError, which names the machine that differs.
    """
    first, *others = machines
    for name in others:
        if machines[name].get(FUNCTIONS) != machines[first].get(FUNCTIONS):
            raise InputError(
                f"{name} computes exponentials and other functions with other bits than {first}: its processor or its "
                "NumPy differs; leave it out, or set NPY_DISABLE_CPU_FEATURES alike on all"
            )
    common = [each for way, each in machines[first].items() if way != FUNCTIONS]
    for name in others:
        common = [each for each in common if each in machines[name].values()]
        if not common:
            raise InputError(
                f"{name} has no way of multiplying whose bits are those of {first} and the machines before it: its "
                "processor or its BLAS differs; leave it out, or set OPENBLAS_CORETYPE to the same kind on all"
            )
    if not common:
        return {}  # one machine without any such way multiplies as it always does
    return {name: next(way for way, each in digests.items() if each == common[0]) for name, digests in machines.items()}


def _function_bits() -> bytes:
    """All functions of floats, of numbers around those that networks have; what is no number counts as one."""
    x = np.concatenate([np.linspace(low, -low, NUMBERS, dtype=np.float32) for low in (-1.0, -20.0)])
    found: list[bytes] = []
    with np.errstate(all="ignore"):
        for name, make in MAKERS.items():
            if name not in OF_INTEGERS:
                y = np.empty_like(x)
                make(KernelSpec(name, (DType.f32, DType.f32), frozenset(), 1.75, x.size, 0, 0))(y, x)
                found.append(np.where(np.isnan(y), np.float32(0), y).tobytes())
    return b"".join(found)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
