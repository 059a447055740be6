"""Activations: which operators are functions that other layers take into their epilogue."""

from __future__ import annotations

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation

from compiler.dialects import onnx
from compiler.dialects.activations import ACTIVATIONS as ROWS
from compiler.dialects.activations import Activation

ACTIVATIONS: dict[type[Operation], Activation] = {op: ROWS[name] for name, op in onnx.ACTIVATION_OPS.items()}


def activation_of(op: Operation) -> tuple[str, tuple[float, ...]]:
    """Name and parameters of an activation; an absent bound of a clip is infinite."""
    row = ACTIVATIONS[type(op)]
    return row.name, tuple(_number(getattr(op, name), absent) for name, absent in row.parameters)


def _number(value: FloatAttr | None, absent: float | None) -> float:
    number = absent if value is None else float(value.value.data)
    assert number is not None  # the operation would not verify
    return number
