"""Nests at their places in programs: those that differ only in base addresses and array groups are analysed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import cast

import numpy as np

from emu.core.batch.access import make_access
from emu.core.batch.blueprint import Blueprint
from emu.core.batch.nest import LoopNest, make_nests
from emu.core.batch.span import Span, span_of
from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.origin import Loops, Origin, Position
from emu.core.kernels.spec import Kernel
from emu.core.operation import make_kernel
from emu.core.state import CoreState
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.operands.loop_tree import Loop
from emu.program.section import TYPES, Section

MAX_TEMPLATES = 4096  # kept in a process, for all of its cores
MAX_BLUEPRINTS = 64  # per template
INSTRUCTION = ("op", *TYPES, "flags", "n", "arg1", "arg2", "imm")
KernelAt = Callable[[Mapping[int, int], range], Kernel]  # counters of iterated loops, iterations of the root
OPERAND = ("reg", "stride", "pitch", "terms")
TERM = ("loop", "tstride", "toffset", "modulus")


@dataclass(frozen=True, eq=False)
class NestTemplate:
    """A nest at any addresses; `blueprints` by layout of its operands, see `planner` (None: it cannot be planned)."""

    nest: LoopNest
    blueprints: dict[tuple[int, ...], Blueprint | None] = field(default_factory=dict)

    @cached_property
    def spans(self) -> list[Span]:
        """The operands that touch memory; strides are right only if the nest writes no register."""
        spans: list[Span] = []
        for statement in self.nest.statements:
            for operand, slot in enumerate(statement.op.slots):
                if slot.count:
                    spans.append(span_of(make_access(self.nest, statement, operand, 0, {})))
        return spans


@dataclass(frozen=True, slots=True)
class PlacedNest:
    """A nest at its place in a program: base addresses (bytes) of the operands of its loop, and kernels by statement.

    `kernels_at` makes the kernels that use array groups of the core: they depend on the iterations. `banked` are the
    groups of the bank that it multiplies with.
    """

    template: NestTemplate
    bases: Sequence[int]
    kernels: Sequence[Kernel]
    kernels_at: Mapping[int, KernelAt]
    banked: Sequence[BankCrossbar]

    @property
    def ready(self) -> bool:
        """Whether all weights that it multiplies with are there: no statement of a nest changes that."""
        return all(group.whole for group in self.banked)


# The oldest are dropped first. They hold what instructions and group specifications say, and nothing of a core.
TEMPLATES: dict[object, tuple[NestTemplate, ...]] = {}


def make_units(state: CoreState, loop: Loop) -> tuple[PlacedNest, ...]:
    """The units, one after the other, that a loop of the section consists of; none if it has to be stepped."""
    section, index, end = state.section, loop.index, loop.end
    first, last = _operands(section, index), _operands(section, end)
    key = (loop.depth, *_signature(state, index, end, first, last))
    templates = TEMPLATES.get(key)
    if templates is None:
        templates = tuple(NestTemplate(nest) for nest in make_nests(state, loop))
        while len(TEMPLATES) >= MAX_TEMPLATES:
            del TEMPLATES[next(iter(TEMPLATES))]
        TEMPLATES[key] = templates
    if not templates:
        return ()
    bases = section.columns["base"][first:last].tolist()
    return tuple(_unit(state, template, bases, index) for template in templates)


def _unit(state: CoreState, template: NestTemplate, bases: Sequence[int], index: int) -> PlacedNest:
    nest, kernels, kernels_at = template.nest, list[Kernel](), dict[int, KernelAt]()
    groups, position, banked = state.section.columns["arg0"], state.position, list[BankCrossbar]()
    for statement in nest.statements:
        op, at = statement.op, index + statement.place
        kernel = op.kernel
        if kernel is None:
            group = state.groups[int(groups[at])]
            kernel = make_kernel(op.instr, op.slots, group, Origin(position, at))
            assert kernel is not None  # a nest has no other instructions
            loops = Loops(statement.forms, statement.path, nest.trips)
            kernels_at[statement.position] = _kernel_at(kernel, position, at, loops)
            if isinstance(group, BankCrossbar) and group not in banked:
                banked.append(group)
        kernels.append(kernel)
    return PlacedNest(template, bases, kernels, kernels_at, banked)


def _kernel_at(kernel: Kernel, position: Position, index: int, loops: Loops) -> KernelAt:
    of_origin = cast("Callable[..., None]", kernel)  # those on groups take an origin in the place of their own
    return lambda at, root: partial(of_origin, origin=Origin(position, index, loops, at, root))


def _operands(section: Section, index: int) -> int:
    columns = section.columns
    return int(columns["operand"][index]) if index < len(section) else len(columns["base"])


def _signature(state: CoreState, index: int, end: int, first: int, last: int) -> tuple[object, ...]:
    """All that the analysis depends on, except for base addresses."""
    columns = state.section.columns
    terms = columns["term"]
    begin, stop = (int(terms[row]) if row < len(terms) else len(columns["loop"]) for row in (first, last))
    op = columns["op"][index:end]
    grouped = ON_GROUP[op]
    fixed = WRITES_GROUP[op].any()  # then it matters which groups are the same
    fields, named = [columns[name][index:end] for name in INSTRUCTION], columns["arg0"][index:end]
    fields += [np.where(grouped & ~fixed, 0, named), np.maximum(columns["end"][index:end] - index, 0)]
    fields += [columns[name][first:last] for name in OPERAND] + [columns[name][begin:stop] for name in TERM]
    groups = state.groups
    specs = [groups[k].spec if 0 <= k < len(groups) else None for k in named[grouped].tolist()]
    return end - index, last - first, b"".join([array.tobytes() for array in fields]), *specs
