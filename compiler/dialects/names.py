"""Names that attributes of kernels may hold."""

from __future__ import annotations

from collections.abc import Mapping

ACTIVATIONS: Mapping[str, int] = {"relu": 0, "sigmoid": 0, "tanh": 0, "clip": 2, "leaky_relu": 1}  # -> parameters
POOLS = ("max", "average")
TENSORS = ("input", "output")  # of a network
