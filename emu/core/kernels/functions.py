"""Functions of one operand: activations, roundings, signs; floats are computed in f32."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from emu.core.kernels.constant import ConstantKernel
from emu.core.kernels.erf import erf
from emu.core.kernels.pieces import BlockKernel, Function, FunctionKernel
from emu.core.kernels.spec import Kernel, KernelSpec, Maker, UfuncKernel
from emu.isa.dtypes import DType
from emu.room import room

F32 = np.dtype(np.float32)
BOOL = np.dtype(np.bool_)
ZERO, ONE = np.zeros((), F32), np.ones((), F32)  # NumPy takes arrays faster than numbers


def sigmoid(x: np.ndarray, /, *, out: np.ndarray) -> None:
    """`out` = 1 / (1 + exp(-x)) for f32, from exp(-|x|) so that it never overflows."""
    below, positive = room("below", x.shape, F32), room("positive", x.shape, BOOL)
    np.negative(np.absolute(x, out=out), out=out)
    np.exp(out, out=below)
    np.copyto(out, np.greater_equal(x, ZERO, out=positive))
    np.maximum(below, out, out=out)  # 1 where x is positive
    np.divide(out, np.add(below, ONE, out=below), out=out)


def _float_maker(function: Function) -> Maker:
    kernel = FunctionKernel(function)
    return lambda spec: kernel


def _exact_maker(function: Callable[..., np.ndarray]) -> Maker:
    return lambda spec: UfuncKernel(function)


def _relu(spec: KernelSpec) -> Kernel:
    return ConstantKernel(np.maximum, spec.types[0].numpy.type(0))


def _negate(spec: KernelSpec) -> Kernel:
    # Not np.negative: NumPy 2.4.6 reads wrong elements of f32 and i32 operands that are 4 elements apart.
    dtype = spec.types[0].numpy
    minus_one = np.array(-1).astype(dtype)[()]
    return UfuncKernel(np.multiply, (minus_one,))


def _not(spec: KernelSpec) -> Kernel:
    def logical(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        np.equal(sources[0], 0, out=dst.view(np.bool_))

    def bitwise(dst: np.ndarray, /, *sources: np.ndarray) -> None:
        np.invert(sources[0], out=dst)

    return logical if spec.types[0] == DType.bool else bitwise


def _leaky_relu(spec: KernelSpec) -> Kernel:
    slope = np.float32(spec.imm)

    def compute(x: np.ndarray) -> np.ndarray:
        x = x.astype(np.float32)
        return np.where(x < 0, x * slope, x)

    return BlockKernel(compute)


def _power(spec: KernelSpec) -> Kernel:
    exponent = np.float32(spec.imm)

    def compute(x: np.ndarray) -> np.ndarray:
        return np.power(x.astype(np.float32, order="C"), exponent)

    return BlockKernel(compute)


MAKERS: dict[str, Maker] = {
    "relu": _relu,
    "tanh": _float_maker(np.tanh),
    "sigmoid": _float_maker(sigmoid),
    "exponential": _float_maker(np.exp),
    "logarithm": _float_maker(np.log),
    "square root": _exact_maker(np.sqrt),
    "error function": _float_maker(erf),
    "absolute": _exact_maker(np.absolute),
    "negate": _negate,
    "floor": _exact_maker(np.floor),
    "ceiling": _exact_maker(np.ceil),
    "round": _exact_maker(np.rint),
    "complement": _not,
    "sign": _exact_maker(np.sign),
    "sine": _float_maker(np.sin),
    "cosine": _float_maker(np.cos),
    "tangent": _float_maker(np.tan),
    "inverse sine": _float_maker(np.arcsin),
    "inverse cosine": _float_maker(np.arccos),
    "inverse tangent": _float_maker(np.arctan),
    "hyperbolic sine": _float_maker(np.sinh),
    "hyperbolic cosine": _float_maker(np.cosh),
    "inverse hyperbolic sine": _float_maker(np.arcsinh),
    "inverse hyperbolic cosine": _float_maker(np.arccosh),
    "inverse hyperbolic tangent": _float_maker(np.arctanh),
    "leaky relu": _leaky_relu,
    "power": _power,
}
