"""Loop nests as trees of loops and instructions, the same for all counters of the loops around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import lcm

import numpy as np

from emu.core.batch.splitting import IterationPiece, Ring, TooManyPieces, split
from emu.core.crossbars.origin import Form
from emu.core.operation import Operation
from emu.core.scalar import arguments
from emu.core.state import CoreState
from emu.isa.address import Address, Term
from emu.isa.instruction import Control, CrossbarUse
from emu.operands.loop_tree import Loop

Counters = tuple[tuple[int, int], ...]  # loop level, and the period with which addresses repeat in it (0: never)

MAX_STATEMENTS = 2048  # a longer body is stepped


@dataclass(frozen=True, slots=True)
class AffineAddress:
    """An address in the loops of a path: base + rest + r[reg] + outer terms + sum(stride * counter).

    The base is that of operand `row` of the loop, counted from its first one.
    """

    row: int
    rest: int
    strides: tuple[int, ...]
    outer: tuple[Term, ...]
    reg: int


@dataclass(frozen=True, slots=True)
class NestStatement:
    """An instruction of a nest; `path` are the loops around it, outermost (0, the root) first.

    `forms` are the counters of the program's loops from the root inwards, over those of the path. What works on array
    groups has no kernel here: nests are shared by cores, groups are not.
    """

    position: int
    place: int  # of the instruction, counted from that of the root
    op: Operation
    path: tuple[int, ...]
    affines: tuple[AffineAddress, ...]
    forms: tuple[Form, ...]

    @property
    def writes_crossbar(self) -> bool:
        """Whether the statement changes what an array group holds."""
        return self.op.instr.spec.crossbar is CrossbarUse.WRITE


@dataclass(frozen=True, slots=True)
class RegisterWrite:
    """A scalar instruction of a nest."""

    op: Operation


@dataclass(frozen=True, slots=True)
class NestLoop:
    """A loop of a nest, numbered in textual order."""

    ident: int
    body: tuple[NestLoop | NestStatement | RegisterWrite, ...]


@dataclass(frozen=True, slots=True)
class LoopNest:
    """A loop, or a piece of it from iteration `start` on, without requests.

    `counters` (with their periods) and `registers` are the outer ones that it uses. `scalar`: it writes registers.
    """

    root: NestLoop
    start: int
    depth: int  # loops around the root
    trips: tuple[int, ...]  # by loop number
    statements: tuple[NestStatement, ...]
    counters: Counters
    registers: tuple[int, ...]
    scalar: bool


class _Unfit(Exception):
    """The loop cannot be a nest."""


def make_nests(state: CoreState, loop: Loop) -> tuple[LoopNest, ...]:
    """The nests, one after the other, that a loop of the section consists of; none if it has to be stepped."""
    try:
        pieces = _Builder(state, loop).pieces(loop)
        return tuple(_nest(_Builder(state, loop), loop, piece) for piece in pieces)
    except (_Unfit, TooManyPieces):
        return ()


def _nest(builder: _Builder, loop: Loop, piece: IterationPiece) -> LoopNest:
    (root,) = builder.loops(loop, piece, (), ())
    if any(s.writes_crossbar for s in builder.statements) and any(s.op.may_trap for s in builder.statements):
        raise _Unfit  # a plan that traps is undone, but what crossbars held is not kept
    counters, registers = used([statement.op for statement in builder.statements])
    outer = tuple((level, period) for level, period in counters if level < builder.depth)
    read = {*registers, *builder.read}
    trips, statements = tuple(builder.trips), tuple(builder.statements)
    return LoopNest(root, piece.start, builder.depth, trips, statements, outer, tuple(sorted(read)), builder.scalar)


def used(operations: Sequence[Operation]) -> tuple[Counters, tuple[int, ...]]:
    """The loop levels and the registers that the addresses of `operations` depend on."""
    addresses = [slot.address for op in operations for slot in op.slots]
    moduli: dict[int, list[int]] = {}
    for term in (term for address in addresses for term in address.terms):
        moduli.setdefault(term.loop, []).append(term.modulus)
    periods = sorted((level, 0 if 0 in cycles else lcm(*cycles)) for level, cycles in moduli.items())
    return tuple(periods), tuple(sorted({address.reg for address in addresses if address.reg >= 0}))


class _Builder:
    """Writes the tree of one nest."""

    def __init__(self, state: CoreState, root: Loop) -> None:
        self._state, self.depth, self._origin = state, root.depth, root.index
        self._row = int(state.section.columns["operand"][root.index])
        self.trips: list[int] = []
        self.statements: list[NestStatement] = []
        self.read: set[int] = set()  # by scalar instructions
        self.scalar = False

    def pieces(self, loop: Loop) -> list[IterationPiece]:
        """The loop, cut where addresses in its body wrap."""
        return split(loop.trips, self._rings(loop.index + 1, loop.end, loop.depth))

    def _rings(self, begin: int, end: int, level: int) -> set[Ring]:
        columns = self._state.section.columns
        rows = [int(columns["operand"][at]) if at < len(columns["op"]) else len(columns["base"]) for at in (begin, end)]
        terms = columns["term"]
        first, last = (int(terms[row]) if row < len(terms) else len(columns["loop"]) for row in rows)
        chosen = (columns["loop"][first:last] == level) & (columns["modulus"][first:last] > 0)
        numbers = np.flatnonzero(chosen) + first
        return set(zip(columns["toffset"][numbers].tolist(), columns["modulus"][numbers].tolist(), strict=True))

    def loops(self, loop: Loop, piece: IterationPiece, path: tuple[int, ...], env: tuple[Form, ...]) -> list[NestLoop]:
        """One piece of `loop`: a loop, or a loop of rounds around one loop per position."""
        if not piece.repeats:
            return [self._part(loop, part, path, env, ()) for part in piece.parts]
        ident = len(self.trips)
        self.trips.append(piece.repeats)
        rounds = ((len(path), piece.period),)
        return [NestLoop(ident, tuple(self._part(loop, part, (*path, ident), env, rounds) for part in piece.parts))]

    def _part(
        self,
        loop: Loop,
        part: tuple[int, int],
        path: tuple[int, ...],
        env: tuple[Form, ...],
        rounds: tuple[tuple[int, int], ...],
    ) -> NestLoop:
        ident = len(self.trips)
        self.trips.append(part[1])
        form = (part[0], (*rounds, (len(path), 1)))
        return NestLoop(ident, tuple(self._body(loop, (*path, ident), (*env, form))))

    def _body(
        self, loop: Loop, path: tuple[int, ...], env: tuple[Form, ...]
    ) -> Iterator[NestLoop | NestStatement | RegisterWrite]:
        for item in loop.body:
            if isinstance(item, Loop):
                for piece in self.pieces(item):
                    yield from self.loops(item, piece, path, env)
                continue
            for op in map(self._state.operation, range(item.first, item.last)):
                if op.scalar is not None:
                    yield self._register_write(op)
                elif op.instr.spec.control is not Control.NOTHING:
                    yield self._statement(op, path, env)

    def _register_write(self, op: Operation) -> RegisterWrite:
        if op.fault is not None:
            raise _Unfit
        self.scalar = True
        self.read.update(arguments(op.instr)[1])
        return RegisterWrite(op)

    def _statement(self, op: Operation, path: tuple[int, ...], env: tuple[Form, ...]) -> NestStatement:
        if op.kernel is None or op.fault is not None or len(self.statements) == MAX_STATEMENTS:
            raise _Unfit
        if op.instr.spec.crossbar is CrossbarUse.WRITE and self._state.groups[op.instr.arg0].spec.shares:
            raise _Unfit  # it decides whether products with other groups trap
        row = int(self._state.section.columns["operand"][op.index]) - self._row
        affines = tuple([self._affine(row + k, slot.address, path, env) for k, slot in enumerate(op.slots)])
        shared = op if op.instr.spec.crossbar is None else replace(op, kernel=None)
        statement = NestStatement(len(self.statements), op.index - self._origin, shared, path, affines, env)
        self.statements.append(statement)
        return statement

    def _affine(self, row: int, address: Address, path: tuple[int, ...], env: tuple[Form, ...]) -> AffineAddress:
        rest, strides, outer = 0, [0] * len(path), list[Term]()
        for term in address.terms:
            if term.loop < self.depth:
                outer.append(term)
                continue
            start, factors = self._linear(term, env[term.loop - self.depth], path)
            rest += term.stride * start
            for place, factor in factors:
                strides[place] += term.stride * factor
        return AffineAddress(row, rest, tuple(strides), tuple(outer), address.reg)

    def _linear(self, term: Term, form: Form, path: tuple[int, ...]) -> tuple[int, list[tuple[int, int]]]:
        """A term, without its stride, as a constant and factors of the loops of the path that have several trips."""
        start, modulus = form[0] + term.offset if term.modulus else form[0], term.modulus
        moving = [(place, factor) for place, factor in form[1] if self.trips[path[place]] > 1]
        if not modulus:
            return start, moving
        moving = [(place, factor) for place, factor in moving if factor % modulus]
        reach = sum(factor * (self.trips[path[place]] - 1) for place, factor in moving)
        if start // modulus != (start + reach) // modulus:
            raise _Unfit
        return start % modulus, moving
