"""What scalar registers hold while a nest runs: for each statement, affine functions of the loop counters."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from emu.core.batch.access import Linear, Unplannable
from emu.core.batch.nest import LoopNest, NestLoop, RegisterWrite
from emu.core.scalar import arguments, int32
from emu.operands.runs import reach
from emu.program.section import Instr

MAX_DEPTH = 6  # every level doubles the work

# A value: factors by loop number, by register as ~register (its value when the body of a loop begins), and of 1.
Value = dict[int | None, int]
Values = dict[int, Value]  # by register; what is not affine is missing


@dataclass(slots=True)
class NestRegisters:
    """What the statements of a nest see, by position, and what the nest leaves behind."""

    seen: dict[int, dict[int, Linear]] = field(default_factory=dict)
    final: tuple[tuple[int, int], ...] = ()


def trace(nest: LoopNest, registers: Sequence[int]) -> NestRegisters:
    """Follow the registers through `nest` from their values before it; raises Unplannable if they leave the affine."""
    walk = _Walk(nest)
    start: Values = {number: {None: value} for number, value in enumerate(registers)}
    end = walk.loop(nest.root, (), start, final=True)
    written = walk.written(nest.root)
    if any(set(end.get(number, {0: 1})) - {None} for number in written):
        raise Unplannable
    walk.registers.final = tuple((number, end[number].get(None, 0)) for number in sorted(written))
    return walk.registers


class _Walk:
    def __init__(self, nest: LoopNest) -> None:
        self.nest, self.registers = nest, NestRegisters()

    def written(self, loop: NestLoop) -> set[int]:
        """Registers that `loop` writes."""
        registers: set[int] = set()
        for child in loop.body:
            if isinstance(child, NestLoop):
                registers |= self.written(child)
            elif isinstance(child, RegisterWrite):
                registers.add(child.op.instr.arg0)
        return registers

    def loop(self, loop: NestLoop, around: tuple[int, ...], values: Values, final: bool) -> Values:
        """The values after `loop`; `final`: they are numbers and outer counters, to be recorded for statements."""
        if len(around) == MAX_DEPTH:
            raise Unplannable
        written, trips, path = self.written(loop), self.nest.trips[loop.ident], (*around, loop.ident)
        if trips == 1 or not written:
            return self._body(loop, path, values, final)
        start = self._start(loop, path, written, values)
        end = self._body(loop, path, start, final)
        return {number: _at(value, loop.ident, trips - 1) for number, value in end.items()}

    def _start(self, loop: NestLoop, path: tuple[int, ...], written: set[int], values: Values) -> Values:
        """The values at the begin of every iteration: inductions, or what the iteration before left."""
        symbols: Values = {**values, **{number: {~number: 1} for number in written}}
        after = self._body(loop, path, symbols, final=False)
        start = {number: value for number, value in values.items() if number not in written}
        left: Values = {}
        for number in written:
            value = after.get(number)
            if value is None:
                continue
            step = _add(value, {~number: 1}, -1)
            if number in values and not set(step) - {None}:
                start[number] = _add(values[number], {loop.ident: 1}, step.get(None, 0))
            else:
                left[number] = value
        for number, value in left.items():
            known = _substitute(value, start)
            if known is None or number not in values:
                continue
            before = _add(known, {None: 1}, -known.get(loop.ident, 0))  # the same, one iteration earlier
            if _at(before, loop.ident, 0) == values[number]:
                start[number] = before
        return start

    def _body(self, loop: NestLoop, path: tuple[int, ...], values: Values, final: bool) -> Values:
        values = dict(values)
        for child in loop.body:
            if isinstance(child, NestLoop):
                values = self.loop(child, path, values, final)
            elif isinstance(child, RegisterWrite):
                self._write(child.op.instr, values, final)
            elif final:
                used = {affine.reg for affine in child.affines if affine.reg in values}
                self.registers.seen[child.position] = {number: _linear(values[number], path) for number in used}
        return values

    def _write(self, instr: Instr, values: Values, final: bool) -> None:
        value = _value(instr, values)
        values.pop(instr.arg0, None)
        if value is None:
            return
        if final and not self._fits(value):
            raise Unplannable
        values[instr.arg0] = value

    def _fits(self, value: Value) -> bool:
        """Whether the value is an int32 at every iteration: then nothing wraps."""
        moves = [(factor, self.nest.trips[loop]) for loop, factor in value.items() if loop is not None]
        return all(int32(end) == end for end in (value.get(None, 0) + far for far in reach(moves)))


def _add(a: Value, b: Value, factor: int = 1) -> Value:
    total = dict(a)
    for key, value in b.items():
        total[key] = total.get(key, 0) + factor * value
    return {key: value for key, value in total.items() if value}


def _at(value: Value, loop: int, counter: int) -> Value:
    """`value` in iteration `counter` of `loop`."""
    return _add({key: factor for key, factor in value.items() if key != loop}, {None: value.get(loop, 0)}, counter)


def _substitute(value: Value, start: Values) -> Value | None:
    total: Value = {}
    for key, factor in value.items():
        if key is None or key >= 0:
            total = _add(total, {key: factor})
        elif ~key in start:
            total = _add(total, start[~key], factor)
        else:
            return None
    return total


def _linear(value: Value, path: tuple[int, ...]) -> Linear:
    return value.get(None, 0), tuple([value.get(loop, 0) for loop in path])


def _value(instr: Instr, values: Values) -> Value | None:
    """What a scalar instruction computes from affine values; None if it is not affine."""
    constants, registers = arguments(instr)
    rule = RULES.get(instr.spec.scalar) if instr.spec.scalar else None
    if rule is None or any(number not in values for number in registers):
        return None
    return rule(*[values[number] for number in registers], *[_add({}, {None: value}) for value in constants])


def _product(a: Value, b: Value) -> Value | None:
    if set(a) - {None} and set(b) - {None}:
        return None
    number, other = (b, a) if set(a) - {None} else (a, b)
    return _add({}, other, number.get(None, 0))


# By the function of a scalar instruction; the value of one that is missing is not affine.
RULES: dict[Callable[..., int], Callable[..., Value | None]] = {
    int: lambda a: a,
    operator.add: _add,
    operator.sub: lambda a, b: _add(a, b, -1),
    operator.mul: _product,
}
