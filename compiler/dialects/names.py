"""Names that attributes of kernels may hold."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.functions import FUNCTIONS
from emu.isa.dtypes import DType

ACTIVATIONS: Mapping[str, int] = {  # -> parameters
    **{function.name: 0 for function in FUNCTIONS},
    "clip": 2,
    "leaky_relu": 1,
}
POOLS = ("max", "average")
POOLED = frozenset({DType.f32, DType.i8, DType.u8})  # element types of which ONNX takes the maximum of windows
TENSORS = ("input", "output")  # of a network
RESIDENT = -1  # no segment: weights that are on their crossbars all the time
