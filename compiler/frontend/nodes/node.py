"""One ONNX node as the import functions see it: a unique name, typed attributes with defaults, inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from emu.errors import CompileError

if TYPE_CHECKING:
    from onnx import NodeProto


@dataclass(frozen=True, slots=True)
class Node:
    """A view of a NodeProto; `name` is unique in the module, `where` names the file in errors."""

    name: str
    kind: str
    inputs: tuple[str, ...]  # "" where an optional input is left out
    outputs: tuple[str, ...]
    where: str
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])

    @staticmethod
    def of(proto: NodeProto, name: str, where: str) -> Node:
        """The view of `proto` under the unique `name`."""
        from onnx import helper  # of a network from a text there are nodes, too, and no ONNX

        values = {attribute.name: helper.get_attribute_value(attribute) for attribute in proto.attribute}
        return Node(name, proto.op_type, tuple(proto.input), tuple(proto.output), where, values)

    def has_input(self, index: int) -> bool:
        """Whether optional input `index` is given."""
        return index < len(self.inputs) and bool(self.inputs[index])

    def integer(self, name: str, default: int) -> int:
        """The integer attribute `name`."""
        return int(self.attributes.get(name, default))

    def real(self, name: str, default: float) -> float:
        """The floating-point attribute `name`."""
        return float(self.attributes.get(name, default))

    def integers(self, name: str, default: Sequence[int]) -> tuple[int, ...]:
        """The attribute `name` of several integers."""
        return tuple(int(value) for value in self.attributes.get(name, default))

    def text(self, name: str, default: str) -> str:
        """The string attribute `name`."""
        value = self.attributes.get(name, default)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    def refuse(self, reason: str) -> NoReturn:
        """Raise the CompileError "file: node 'name' (Kind) reason"."""
        raise CompileError(f"{self.where}: node '{self.name}' ({self.kind}) {reason}", self.name)

    def axis(self, value: int, rank: int, last: int | None = None) -> int:
        """Axis `value` of a tensor of `rank` dimensions, counted from 0; a negative one is counted from the end.

        Raises CompileError for one beyond `last` (by default the last one, rank - 1).
        """
        axis = value + rank if value < 0 else value
        if not 0 <= axis <= (rank - 1 if last is None else last):
            self.refuse(f"has axis {value}, but its operand has {rank} dimensions")
        return axis

    def axes(self, values: Sequence[int], rank: int) -> tuple[int, ...]:
        """The axes of a tensor of `rank` dimensions, counted from 0, ascending; raises CompileError for wrong ones."""
        axes = sorted(self.axis(int(value), rank) for value in values)
        if len(set(axes)) != len(axes):
            self.refuse(f"names an axis twice: {list(values)}")
        return tuple(axes)
