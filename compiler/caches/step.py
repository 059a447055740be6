"""A node that a growing cache reaches, as the rule of its operator sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from onnx import AttributeProto, NodeProto, helper

from compiler.basis.weights import Array
from compiler.caches.facts import Facts, Tail
from compiler.caches.lengths import Lengths, fitted
from compiler.caches.rewriting import Rewriting
from compiler.frontend.body import used_names

Tails = Mapping[int, Tail]


class Step:
    """`inputs` and `outputs` are names ("": left out)."""

    def __init__(self, rewriting: Rewriting, node: NodeProto) -> None:
        """Of a `node` whose results are not static."""
        self.rewriting, self.node = rewriting, node
        self.writer, self.room = rewriting.writer, rewriting.room
        self.inputs, self.outputs = list(node.input), list(node.output)
        self._attributes = {attribute.name: attribute for attribute in node.attribute}

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error for this node."""
        cache = self.rewriting.cache_of(used_names(self.node))
        raise self.rewriting.survey.refusal(self.node, reason, cache)

    def has(self, index: int) -> bool:
        """Whether there is such an input."""
        return index < len(self.inputs) and bool(self.inputs[index])

    def integer(self, name: str, default: int) -> int:
        """An attribute."""
        return self._attributes[name].i if name in self._attributes else default

    def integers(self, name: str, default: Sequence[int]) -> list[int]:
        """An attribute that is a list."""
        return list(self._attributes[name].ints) if name in self._attributes else list(default)

    def text(self, name: str) -> str:
        """An attribute that is text; empty without it."""
        return self._attributes[name].s.decode() if name in self._attributes else ""

    def operand(self, index: int) -> str:
        """The name of an input, which is a value of the network from now on."""
        return self.rewriting.operand(self.node, self.inputs[index])

    def dims(self, name: str) -> Lengths:
        """The lengths of the axes of a value."""
        return self.rewriting.dims(self.node, name)

    def shape(self, name: str) -> list[int]:
        """The shape of a value with room."""
        return self.rewriting.shape(self.node, name)

    def grown(self, name: str) -> list[int]:
        """The axes of a value that grow."""
        return [axis for axis, length in enumerate(self.dims(name)) if length.grows]

    def tail(self, name: str, axis: int) -> Tail:
        """What stands behind the end of an axis."""
        return self.rewriting.tail(name, axis)

    def masked(self, name: str, axis: int, neutral: str, now: str = "") -> str:
        """A value, or what has become of it by `now`, with what is neutral behind the end of an axis."""
        return self.rewriting.masked(self.node, name, axis, neutral, now)

    def static(self, name: str) -> Array | None:
        """The elements of an operand that are the same at all positions; None if they are not, or computed."""
        values = self.rewriting.survey.values(name)
        return values[0] if values and name not in self.rewriting.survey.dependent else None

    def constant(self, index: int, what: str) -> list[int]:
        """The numbers of an operand that is the same at all positions; refuses any other."""
        rows = self.rows(index, what)
        if any(row != rows[0] for row in rows):
            self.refuse(f"has {what} that change with every step")
        return rows[0]

    def rows(self, index: int, what: str) -> list[list[int]]:
        """The numbers of a static operand at each position; refuses one that is computed."""
        name, survey = self.inputs[index], self.rewriting.survey
        values = survey.values(name)
        if values is None:
            self.refuse(f"has {what} that are computed from inputs")
        found = self.rewriting.standing.rows(name) if name in survey.dependent else None
        if name in survey.dependent and found is None:
            self.refuse(f"has {what} that change with every step in another way than their number does")
        rows = found if found is not None else [values[0]] * len(self.room.positions)
        return [_numbers(row) for row in rows]

    def check_straight(self, index: int) -> None:
        """Refuse sizes that grow otherwise than the survey has seen: by other numbers at other positions."""
        if not self.has(index) or self.inputs[index] not in self.rewriting.survey.dependent:
            return
        seen = self.rewriting.survey.static[self.inputs[index]]
        fits = [fitted(self.rewriting.survey.positions, sizes) for sizes in zip(*map(_numbers, seen), strict=True)]
        for position, row in zip(self.room.positions, self.rows(index, "sizes"), strict=True):
            if any(fit is None or fit.at(position) != size for fit, size in zip(fits, row, strict=True)):
                self.refuse(f"has sizes {row} when the caches hold {position} tokens, which do not grow by as many")

    def axis(self, axis: int, rank: int) -> int:
        """An axis counted from the first."""
        return axis + rank if axis < 0 else axis

    def keep(
        self,
        tails: Sequence[Tails] = (),
        inputs: Mapping[int, str] | None = None,
        without: Sequence[str] = (),
        **attributes: int,
    ) -> None:
        """Write the node as it is, but for some `inputs`, and `attributes` that it has or is `without`.

        `tails` are those of its outputs, ANY where none are given.
        """
        names = [
            (inputs or {}).get(index, "") or (self.operand(index) if name else "")
            for index, name in enumerate(self.inputs)
        ]
        self.write(names, self.outputs, without, **attributes)
        self.learn(tails)

    def write(
        self, inputs: Sequence[str], outputs: Sequence[str], without: Sequence[str] = (), **attributes: int
    ) -> None:
        """A node of the same operator, and with its attributes but for those given here."""
        changed = {name: helper.make_attribute(name, value) for name, value in attributes.items()}
        kept: dict[str, AttributeProto] = {**self._attributes, **changed}
        made = NodeProto(op_type=self.node.op_type, domain=self.node.domain, name=self.node.name)
        made.input.extend(inputs)
        made.output.extend(outputs)
        made.attribute.extend(attribute for name, attribute in kept.items() if name not in without)
        self.writer.nodes.append(made)

    def learn(self, tails: Sequence[Tails] = ()) -> None:
        """Note what is known of the outputs; refuses one whose axes grow otherwise than the caches do."""
        for index, name in enumerate(self.outputs):
            if name:
                self.learn_of(name, tails[index] if index < len(tails) else {})

    def learn_of(self, name: str, tails: Tails | None = None) -> None:
        """Note what is known of one output."""
        cache = self.rewriting.cache_of(used_names(self.node))
        grown = self.grown(name) if name in self.rewriting.survey.dims else []
        if grown:
            self.shape(name)
        known = {axis: (tails or {}).get(axis, Tail.ANY) for axis in grown}
        self.rewriting.facts[name] = Facts(known, cache)

    def emit(self, kind: str, inputs: Sequence[str], output: str = "", **attributes: int | list[int]) -> str:
        """A further node; returns its output."""
        return self.writer.emit(kind, inputs, output, **attributes)


def _numbers(array: Array) -> list[int]:
    return [int(number) for number in array.reshape(-1)]


Rule = Callable[[Step], None]
