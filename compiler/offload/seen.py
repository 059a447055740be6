"""Which shapes the values of a host program have had, operation by operation, when it was interpreted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, TensorType
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Attribute, Operation, SSAValue

Shape = tuple[int, ...]


def joined(one: Shape | None, other: Shape | None) -> Shape | None:
    """What two shapes have in common: DYNAMIC_INDEX along dimensions that differ; None stands for nothing seen."""
    if one is None or other is None:
        return other if one is None else one
    return tuple(a if a == b else DYNAMIC_INDEX for a, b in zip(one, other, strict=True))


@dataclass(slots=True)
class Seen(Interpreter.Listener):
    """`operands` and `results` of every operation that was interpreted: what all executions had in common.

    Shapes of tensors; None in the place of anything else.
    """

    operands: dict[Operation, list[Shape | None]] = field(default_factory=dict[Operation, "list[Shape | None]"])
    results: dict[Operation, list[Shape | None]] = field(default_factory=dict[Operation, "list[Shape | None]"])

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        """Note the operands."""
        _note(self.operands, op, op.operands, args)

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        """Note the results; those of a terminator are the values that it hands on."""
        if op.results:
            _note(self.results, op, op.results, results)


def _note(
    table: dict[Operation, list[Shape | None]], op: Operation, values: Sequence[SSAValue], arrays: Sequence[Any]
) -> None:
    shapes = [
        np.shape(array) if isinstance(value.type, TensorType) else None
        for value, array in zip(values, arrays, strict=True)
    ]
    known = table.get(op)
    if known is None:
        table[op] = shapes
    elif known != shapes:
        table[op] = [joined(one, other) for one, other in zip(known, shapes, strict=True)]


def resized(kind: Attribute, shape: Shape | None) -> Attribute:
    """A tensor type with those sizes that it leaves open and `shape` knows."""
    if not isinstance(kind, TensorType) or shape is None:
        return kind
    own = kind.get_shape()
    sizes = [own_size if own_size >= 0 else size for own_size, size in zip(own, shape, strict=True)]
    return kind if list(own) == sizes else TensorType(kind.element_type, sizes, kind.encoding)
