"""Activations: functions of one number that kernels apply to their results in place. A new one is one row here.

Its ONNX operation (one with parameters has a class of its own in the dialect), what an epilogue may hold, the
instructions that compute it, what it means, and what a layer may take in from behind it, follow from the row. One
without parameters is a function of bodies (`nests/functions.py`), of that name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from compiler.nests.functions import SCALAR_FUNCTIONS


@dataclass(frozen=True, slots=True)
class ActivationStep:
    """A float32 vector instruction in place; with a parameter it takes that as its immediate number."""

    instruction: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class Activation:
    """ONNX's operator, the name in epilogues, the instructions in order, and what it computes.

    `parameters` are attributes of the operator, each with the number that an absent one stands for (None: it must be
    there), for which its step is left out.
    """

    onnx: str
    name: str
    steps: tuple[ActivationStep, ...]
    text: str
    parameters: tuple[tuple[str, float | None], ...] = ()


def _function(onnx: str, name: str, text: str) -> Activation:
    return Activation(onnx, name, (ActivationStep(SCALAR_FUNCTIONS[name].instruction),), text)


_ROWS = (
    _function("Relu", "relu", "max(x, 0)."),
    _function("Sigmoid", "sigmoid", "1 / (1 + exp(-x))."),
    _function("Tanh", "tanh", "Hyperbolic tangent."),
    Activation(
        "Clip",
        "clip",
        (ActivationStep("vsmax", "min"), ActivationStep("vsmin", "max")),
        "min(max(x, min), max).",
        (("min", -inf), ("max", inf)),
    ),
    Activation(
        "LeakyRelu",
        "leaky_relu",
        (ActivationStep("vlrelu", "alpha"),),
        "x, and alpha x below zero.",
        (("alpha", None),),
    ),
)
ACTIVATIONS: Mapping[str, Activation] = {row.name: row for row in _ROWS}
