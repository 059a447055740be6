"""Loop nests as trees: which loops and instructions a unit consists of, whatever the outer counters are."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from emu.core.operation import Operation
from emu.core.state import CoreState
from emu.isa.table import LOOP

Counters = tuple[tuple[int, int], ...]  # loop level, and the period with which addresses repeat in it (0: never)

MAX_STATEMENTS = 192  # a longer body is stepped: the dependence test is quadratic


@dataclass(frozen=True, slots=True)
class Statement:
    """An instruction of a nest; `path` are the loops around it, outermost (0, the root) first."""

    position: int
    op: Operation
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop of a nest, numbered in textual order."""

    ident: int
    body: tuple[Loop | Statement, ...]


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop without requests, register and crossbar writes. `depth` is the number of loops around the root.

    `counters` (with their periods) and `registers` are the outer ones that its addresses use.
    """

    root: Loop
    depth: int
    trips: tuple[int, ...]  # by loop number
    statements: tuple[Statement, ...]
    counters: Counters
    registers: tuple[int, ...]


class _Unfit(Exception):
    """The loop is no unit."""


def make_nest(state: CoreState, index: int, depth: int) -> Nest | None:
    """The nest of the loop at `index`, or None if it has to be stepped."""
    trips: list[int] = []
    statements: list[Statement] = []
    try:
        root = _loop(state, index, (), trips, statements)
    except _Unfit:
        return None
    counters, registers = used([statement.op for statement in statements])
    outer = tuple((level, period) for level, period in counters if level < depth)
    return Nest(root, depth, tuple(trips), tuple(statements), outer, registers)


def used(operations: list[Operation]) -> tuple[Counters, tuple[int, ...]]:
    """The loop levels and the registers that the addresses of `operations` depend on."""
    addresses = [slot.address for op in operations for slot in op.slots]
    moduli: dict[int, list[int]] = {}
    for term in (term for address in addresses for term in address.terms):
        moduli.setdefault(term.loop, []).append(term.modulus)
    periods = sorted((level, 0 if 0 in found else lcm(*found)) for level, found in moduli.items())
    return tuple(periods), tuple(sorted({address.reg for address in addresses if address.reg >= 0}))


def _loop(state: CoreState, index: int, around: tuple[int, ...], trips: list[int], statements: list[Statement]) -> Loop:
    section, sequencer = state.section, state.sequencer
    ident, path = len(trips), (*around, len(trips))
    trips.append(int(section.columns["n"][index]))
    body: list[Loop | Statement] = []
    at, end = index + 1, int(section.columns["end"][index])
    while at < end:
        if section.columns["op"][at] == LOOP:
            if sequencer.has_work(at):
                body.append(_loop(state, at, path, trips, statements))
            at = int(section.columns["end"][at])
            continue
        op = state.operation(at)
        if op.name != "nop":
            body.append(_statement(op, path, statements))
        at += 1
    return Loop(ident, tuple(body))


def _statement(op: Operation, path: tuple[int, ...], statements: list[Statement]) -> Statement:
    if op.kernel is None or op.fault is not None or len(statements) == MAX_STATEMENTS:
        raise _Unfit
    statement = Statement(len(statements), op, path)
    statements.append(statement)
    return statement
