"""Names that attributes of kernels may hold."""

from __future__ import annotations

from emu.isa.dtypes import DType

POOLS = ("max", "average")
POOLED = frozenset({DType.f32, DType.i8, DType.u8})  # element types of which ONNX takes the maximum of windows
TENSORS = ("input", "output")  # of a network
RESIDENT = -1  # no segment: weights that are on their crossbars all the time
