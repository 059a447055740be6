"""Activations: which operators are functions that other layers take into their epilogue."""

from __future__ import annotations

from xdsl.ir import Operation

from compiler.dialects import onnx

ACTIVATIONS: dict[type[Operation], tuple[str, tuple[str, ...]]] = {
    **{op: (name, ()) for name, op in onnx.FUNCTION_OPS.items()},
    onnx.ClipOp: ("clip", ("min", "max")),
    onnx.LeakyReluOp: ("leaky_relu", ("alpha",)),
}


def activation_of(op: Operation) -> tuple[str, tuple[float, ...]]:
    """Name and parameters of an activation; an absent bound of a clip is infinite."""
    name, fields = ACTIVATIONS[type(op)]
    absent = {"min": float("-inf"), "max": float("inf")}
    given = [getattr(op, field) for field in fields]
    return name, tuple(
        absent[field] if value is None else float(value.value.data) for field, value in zip(fields, given, strict=True)
    )
