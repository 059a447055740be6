"""Functions of one number that the vector unit has: a new one is one row here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Function:
    """ONNX's operator, our name in epilogues, the float32 vector instruction, and what it computes."""

    onnx: str
    name: str
    instruction: str
    text: str


FUNCTIONS: tuple[Function, ...] = (
    Function("Relu", "relu", "vrelu", "max(x, 0)."),
    Function("Sigmoid", "sigmoid", "vsigm", "1 / (1 + exp(-x))."),
    Function("Tanh", "tanh", "vtanh", "Hyperbolic tangent."),
)
