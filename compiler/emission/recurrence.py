"""Emits the steps of time of a recurrent layer: products with the weights of states, functions of gates and states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compiler.dialects.cells import LENGTHS, LINEAR, MASK, Cell, Multiply
from compiler.emission.emitter import Emitter
from compiler.emission.gate_functions import GateFunction
from compiler.emission.nest import NestParts, emit_nest
from compiler.emission.nest_loops import NestSpace, StripAccess
from compiler.emission.nest_steps import BodyPlan
from compiler.emission.strip import Strip, blocks
from compiler.nests.body import NestBody
from compiler.nests.functions import SCALAR_FUNCTIONS
from emu.isa.address import Address
from emu.isa.dtypes import DType

STEPS = "steps"  # the numbers of all steps of time, as a table
Plan = tuple[NestBody, tuple[str, ...], BodyPlan]  # a body, the vectors that it works on, where its values stand


@dataclass(frozen=True, slots=True)
class CoreBuffers:
    """Buffers of a core: vectors by name, those for values between steps of a body, and the numbers of all bodies."""

    vectors: Mapping[str, Strip]
    slots: Sequence[Strip]
    numbers: Sequence[Strip]


@dataclass(frozen=True, slots=True)
class _SampleRow:
    """A row of a strip and a sample in it, in loops `y` over rows and `x` over samples.

    `row` is the row of `out`, and of strips that advance with it, in the first turn of `y`; each goes `forward` rows.
    """

    y: int
    x: int
    row: int
    forward: int
    out: Strip

    def of(self, strip: Strip) -> Address:
        """The vector of the sample in a strip whose rows advance with those of the result."""
        return strip.at((self.y, self.forward * strip.row), (self.x, strip.pixel), row=self.row)

    def access(self, strip: Strip) -> StripAccess:
        """The elements there."""
        steps = (self.y, self.forward * strip.row), (self.x, strip.pixel)
        return StripAccess(strip, (strip.word,), self.row, 0, steps)

    def number(self, steps: Strip) -> Address:
        """The number of the step, in a table of all of them."""
        first = self.out.rows.first + self.row
        loop = self.out.loop, self.out.rows.step * steps.row
        return steps.at(loop, (self.y, self.forward * steps.row), offset=first * steps.row)


class Recurrence:
    """The recurrence of one kernel: `groups` are the array groups of the products of its cell, in order."""

    def __init__(
        self,
        emitter: Emitter,
        cell: Cell,
        parts: CoreBuffers,
        plans: Sequence[Plan],
        functions: Sequence[GateFunction],
        groups: Sequence[int],
        size: int,
    ) -> None:
        self.emitter, self.cell, self.parts, self.groups, self.size = emitter, cell, parts, groups, size
        self.functions = functions
        self.plans, first = list[tuple[Plan, Sequence[Strip]]](), 0
        for plan in plans:
            count = len(plan[2].given)
            self.plans.append((plan, parts.numbers[first : first + count]))
            first += count

    def begin(self, given: Mapping[str, Strip], row: int) -> None:
        """The states before the first step: row `row` of those `given`, constants, or zeros."""
        for name in self.cell.states:
            state = self.parts.vectors[name]
            constant = self.parts.vectors.get(f"initial_{name}")
            if name in given:
                source = given[name]
                self.emitter.copy(state.at(), source.at(row=row - source.rows.first), state.nbytes)
            elif constant is not None:
                self.emitter.copy(state.at(), constant.at(), state.nbytes)
            else:
                self.emitter.fill(state.at(), 0, state.nbytes)

    def run(self, gates: Strip, made: Mapping[str, Strip], backwards: bool) -> None:
        """All rows of `gates`, for which the strips `made` take what they are called."""
        out = next(iter(made.values()))
        parts = list(blocks(out.height, [(gates, 0, 1), *((strip, 0, 1) for strip in made.values())]))
        for row, count in reversed(parts) if backwards else parts:
            with self.emitter.pixels(count, out.width) as (y, x):
                place = _SampleRow(y, x, row + count - 1, -1, out) if backwards else _SampleRow(y, x, row, 1, out)
                self._step(gates, made, place)

    # one sample of one step -------------------------------------------------------------------------------------

    def _step(self, source: Strip, made: Mapping[str, Strip], place: _SampleRow) -> None:
        vectors, emitter = self.parts.vectors, self.emitter
        gates = vectors["gates"]
        if "bias" in vectors:
            emitter.vector("vvadd", (gates.at(), place.of(source), vectors["bias"].at()), gates.channels)
        else:
            emitter.copy(gates.at(), place.of(source), gates.nbytes)
        if MASK in vectors:
            lengths = vectors[LENGTHS]
            operands = vectors[MASK].at(), place.number(vectors[STEPS]), lengths.at((place.x, lengths.word))
            emitter.section.emit("vvlt", (DType.i32,), operands, n=1)
        groups, plans = iter(self.groups), iter(self.plans)
        for step in self.cell.steps:
            if step is self.cell.applies[0]:
                self._functions()
            if isinstance(step, Multiply):
                self._multiply(step, next(groups), place)
            else:
                self._apply(*next(plans), self._access(step.target, place), place)
        rest = next(plans, None)  # what is told of a step, where sequences end early
        for name, strip in made.items():
            if name == "y" and rest is not None:
                self._apply(*rest, place.access(strip), place)
            else:
                state = vectors["h" if name == "y" else name]
                emitter.copy(place.of(strip), state.at((place.x, state.pixel)), state.pixel)

    def _multiply(self, step: Multiply, group: int, place: _SampleRow) -> None:
        vectors = self.parts.vectors
        source = vectors[step.source]
        at = source.at((place.x, source.pixel)) if step.source in self.cell.states else source.at()
        if not step.kept:
            gates = vectors["gates"]
            self.emitter.product(gates.at(offset=step.gates[0] * self.size * gates.word), at, group, ("acc",))
            return
        target, bias = vectors[LINEAR].at(), vectors.get("hidden_bias")
        if bias is not None:
            self.emitter.copy(target, bias.at(), bias.nbytes)
        self.emitter.product(target, at, group, () if bias is None else ("acc",))

    def _functions(self) -> None:
        gates = self.parts.vectors["gates"]
        for function in self.functions:
            low, high = (gate * self.size for gate in function.gates)
            place = gates.at(offset=low * gates.word)
            self.emitter.vector(SCALAR_FUNCTIONS[function.fn].instruction, (place, place), high - low)

    def _apply(self, plan: Plan, numbers: Sequence[Strip], target: StripAccess, place: _SampleRow) -> None:
        body, names, steps = plan
        operands = [self._access(name, place) for name in names]
        accesses = (*operands, *(StripAccess(strip, (0,)) for strip in numbers), target)
        types = tuple(access.strip.dtype for access in operands)
        space = NestSpace((self.size,), (True,), accesses)
        emit_nest(self.emitter, NestParts(space, body, steps, types, "", self._slots(steps.slots), None, None))

    def _slots(self, types: Sequence[DType]) -> list[Strip]:
        """A vector for each of the values between steps."""
        free = list(self.parts.slots)
        chosen = list[Strip]()
        for dtype in types:
            chosen.append(next(strip for strip in free if strip.dtype == dtype))
            free.remove(chosen[-1])
        return chosen

    def _access(self, name: str, place: _SampleRow) -> StripAccess:
        """The elements of a vector of the cell."""
        vectors = self.parts.vectors
        if name == MASK:
            return StripAccess(vectors[MASK], (0,))
        for kind in ("gate", "peephole"):
            if name.startswith(kind):
                strip = vectors[f"{kind}s"]
                return StripAccess(strip, (strip.word,), 0, int(name.removeprefix(kind)) * self.size * strip.word)
        strip = vectors[name]
        return StripAccess(strip, (strip.word,), 0, 0, ((place.x, strip.pixel),) if name in self.cell.states else ())
