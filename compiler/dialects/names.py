"""Names that attributes of kernels may hold."""

from __future__ import annotations

from collections.abc import Mapping

from compiler.dialects.functions import FUNCTIONS

ACTIVATIONS: Mapping[str, int] = {  # -> parameters
    **{function.name: 0 for function in FUNCTIONS},
    "clip": 2,
    "leaky_relu": 1,
}
POOLS = ("max", "average")
TENSORS = ("input", "output")  # of a network
