"""One instruction for neighbouring gates that a recurrent cell passes through the same function, such as a sigmoid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from compiler.dialects.cells import Cell, Multiply, Range
from compiler.nests.body import NestBody
from compiler.nests.functions import SCALAR_FUNCTIONS, Rule

Use = tuple[int, int, int]  # a body, its operand that is the gate, and its step that is all that reads it


@dataclass(frozen=True, slots=True)
class GateFunction:
    """The function `fn` of bodies, of the elements of the `gates`, in their place."""

    fn: str
    gates: Range


def gate_functions(
    cell: Cell, bodies: Sequence[NestBody], vectors: Sequence[Sequence[str]]
) -> tuple[list[GateFunction], list[NestBody]]:
    """What is done with several gates at once before the first body, and the bodies without it.

    `vectors` are those that each body works on. Gates to which a product is added later stay as they are.
    """
    uses = {gate: use for gate in _early(cell) if (use := _only_use(f"gate{gate}", bodies, vectors)) is not None}
    order = list(uses)  # ascending
    runs = groupby(order, lambda gate: (gate - order.index(gate), _fn(bodies, uses[gate])))
    functions, taken = list[GateFunction](), list[Use]()
    for (_, fn), run in runs:
        gates = list(run)
        if len(gates) > 1:
            functions.append(GateFunction(fn, (gates[0], gates[-1] + 1)))
            taken += [uses[gate] for gate in gates]
    made = list(bodies)
    for number, operands in enumerate(map(len, vectors)):
        made[number] = _without(made[number], operands, {step: place for at, place, step in taken if at == number})
    return functions, made


def _early(cell: Cell) -> list[int]:
    """The gates that are whole before the first body."""
    first = cell.steps.index(cell.applies[0])
    later = [step.gates for step in cell.steps[first:] if isinstance(step, Multiply) and not step.kept]
    return [gate for gate in range(cell.gates) if not any(low <= gate < high for low, high in later)]


def _only_use(name: str, bodies: Sequence[NestBody], vectors: Sequence[Sequence[str]]) -> Use | None:
    """Where a vector is read, if that is one step of one argument, of which something else is made."""
    places = [(at, place) for at, names in enumerate(vectors) for place, known in enumerate(names) if known == name]
    if len(places) != 1:
        return None
    at, place = places[0]
    steps = bodies[at].steps
    readers = [number for number, step in enumerate(steps) if place in step.args]
    if len(readers) != 1 or readers[0] == len(steps) - 1:
        return None
    function = SCALAR_FUNCTIONS[steps[readers[0]].fn]
    return (at, place, readers[0]) if function.arity == 1 and function.rule is Rule.SAME else None


def _fn(bodies: Sequence[NestBody], use: Use) -> str:
    return bodies[use[0]].steps[use[2]].fn


def _without(body: NestBody, operands: int, taken: dict[int, int]) -> NestBody:
    """The body without the steps `taken`, whose values are now the operands that they map to."""
    numbers, steps = list(range(operands)), []
    for number, step in enumerate(body.steps):
        if number in taken:
            numbers.append(taken[number])
            continue
        steps.append(replace(step, args=tuple([numbers[arg] for arg in step.args])))
        numbers.append(operands + len(steps) - 1)
    return NestBody(tuple(steps))
