"""What the handles of a transform script stand for, and which of them are consumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from compiler.dialects.origins import origin_of, refuse
from compiler.offload.context import OffloadContext

Payload = list[Operation] | list[SSAValue] | list[int]


def name_of_value(value: SSAValue) -> str:
    """As a script names it."""
    return f"%{value.name_hint}" if value.name_hint else "a handle"


@dataclass(slots=True)
class ScriptState:
    """`payload` is what is transformed, by a script that has to find what it looks for if it `insists`.

    `made_for` are the values that each allocation takes.
    """

    payload: ModuleOp
    context: OffloadContext
    insists: bool
    handles: dict[SSAValue, Payload] = field(default_factory=dict[SSAValue, Payload])
    consumed: dict[SSAValue, Operation] = field(default_factory=dict[SSAValue, Operation])
    made_for: dict[Operation, list[SSAValue]] = field(default_factory=dict[Operation, "list[SSAValue]"])

    def named(self, value: SSAValue, by: Operation) -> Payload:
        """What a handle stands for; raises CompileError for one that is consumed."""
        consumer = self.consumed.get(value)
        if consumer is not None:
            raise refuse(
                by,
                f"names {name_of_value(value)}, which {origin_of(consumer)} has consumed: name what that has made, or"
                " match again",
            )
        return self.handles[value]

    def operations(self, value: SSAValue, by: Operation) -> list[Operation]:
        """The operations of a handle."""
        found = self.named(value, by)
        if any(not isinstance(each, Operation) for each in found):
            raise refuse(by, f"takes operations, and {name_of_value(value)} stands for values or numbers")
        return cast("list[Operation]", list(found))

    def values(self, value: SSAValue, by: Operation) -> list[SSAValue]:
        """The values of a handle; those of operations are their first results."""
        found = list[SSAValue]()
        for each in self.named(value, by):
            if isinstance(each, Operation) and each.results:
                found.append(each.results[0])
            elif isinstance(each, SSAValue):
                found.append(each)
            else:
                raise refuse(by, f"takes values, of which {name_of_value(value)} stands for none")
        return found

    def numbers(self, value: SSAValue, by: Operation) -> list[int]:
        """The numbers of a parameter."""
        found = self.named(value, by)
        if any(not isinstance(each, int) for each in found):
            raise refuse(by, f"takes numbers, and {name_of_value(value)} stands for operations or values")
        return cast("list[int]", list(found))

    def give(self, value: SSAValue, payload: Payload) -> None:
        """Let a handle stand for something; one of a loop's turn before is forgotten."""
        self.handles[value] = payload
        self.consumed.pop(value, None)

    def consume(self, ops: Sequence[Operation], by: Operation) -> None:
        """Handles of these operations, of what stands in them, and of values that are theirs, are consumed.

        It is called before they are changed.
        """
        gone = {inner for op in ops for inner in op.walk()}
        for value, payload in self.handles.items():
            owners = (each.owner if isinstance(each, SSAValue) else each for each in payload)
            if any(owner in gone or _parent(owner) in gone for owner in owners if not isinstance(owner, int)):
                self.consumed.setdefault(value, by)


def _parent(owner: object) -> Operation | None:
    """The operation around a block whose argument a value is."""
    return None if isinstance(owner, Operation) else getattr(owner, "parent_op", lambda: None)()
