"""Nests at their places in programs: those that differ only in base addresses and groups are analysed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.core.batch.access import make_access
from emu.core.batch.blueprint import Blueprint
from emu.core.batch.nest import Nest, Statement, make_nests
from emu.core.batch.span import Span, span_of
from emu.core.kernels.spec import Kernel
from emu.core.operation import make_kernel
from emu.core.origin import Axis, Origin
from emu.core.state import CoreState
from emu.isa.codes import tabulate
from emu.isa.instruction import CrossbarUse
from emu.program.section import Section

MAX_TEMPLATES = 4096  # kept in a process, for all of its cores
MAX_BLUEPRINTS = 64  # per template
ON_GROUP = tabulate(lambda row: row.crossbar is not None, np.bool_)
WRITES_GROUP = tabulate(lambda row: row.crossbar is CrossbarUse.WRITE, np.bool_)
INSTRUCTION = ("op", "type0", "type1", "flags", "n", "arg1", "arg2", "imm")
KernelAt = Callable[[tuple[Axis, ...]], Kernel]  # by the iterations of the loops of the path
OPERAND = ("reg", "stride", "terms")
TERM = ("loop", "tstride", "toffset", "modulus")


@dataclass(frozen=True, eq=False)
class Template:
    """A nest wherever its operands are; `blueprints` by how they lie to each other (None: it cannot be planned)."""

    nest: Nest
    blueprints: dict[tuple[int, ...], Blueprint | None] = field(default_factory=dict)

    @cached_property
    def spans(self) -> list[Span]:
        """The operands that touch memory, while registers stand still."""
        found: list[Span] = []
        for statement in self.nest.statements:
            for operand, slot in enumerate(statement.op.slots):
                if slot.count:
                    found.append(span_of(make_access(self.nest, statement, operand, 0, {})))
        return found


@dataclass(frozen=True, slots=True)
class Unit:
    """A nest of a program: `bases` of the operands of its loop, `kernels` by statement; `kernels_at`: those on the
    array groups of the core, which depend on the iterations."""

    template: Template
    bases: Sequence[int]
    kernels: Sequence[Kernel | None]
    kernels_at: Mapping[int, KernelAt]


# The oldest are dropped first. They hold what instructions and group specifications say, and nothing of a core.
_templates: dict[object, tuple[Template, ...]] = {}


def make_units(state: CoreState, index: int, depth: int) -> tuple[Unit, ...]:
    """The units, one after the other, that the loop at `index` consists of; none if it has to be stepped."""
    section = state.section
    end = int(section.columns["end"][index])
    first, last = _operands(section, index), _operands(section, end)
    key = (depth, *_signature(state, index, end, first, last))
    templates = _templates.get(key)
    if templates is None:
        templates = tuple(Template(nest) for nest in make_nests(state, index, depth))
        while len(_templates) >= MAX_TEMPLATES:
            del _templates[next(iter(_templates))]
        _templates[key] = templates
    if not templates:
        return ()
    bases = section.columns["base"][first:last].tolist()
    return tuple(_unit(state, template, bases, index) for template in templates)


def _unit(state: CoreState, template: Template, bases: Sequence[int], index: int) -> Unit:
    statements = template.nest.statements
    on_groups = {s.position: _kernel_at(state, s, index) for s in statements if s.op.instr.spec.crossbar is not None}
    return Unit(template, bases, [statement.op.kernel for statement in statements], on_groups)


def _kernel_at(state: CoreState, statement: Statement, index: int) -> KernelAt:
    """For a statement of the loop at `index`: with the group that it names there."""
    position, at, op = state.position, index + statement.place, statement.op
    group = state.groups[int(state.section.columns["arg0"][at])]

    def make(axes: tuple[Axis, ...]) -> Kernel:
        kernel = make_kernel(op.instr, op.slots, group, Origin(position, at, statement.forms, axes))
        assert kernel is not None
        return kernel

    return make


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
