"""Nests at their places in programs: those that differ only in base addresses and groups are analysed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.core.batch.access import make_access
from emu.core.batch.blueprint import Blueprint
from emu.core.batch.nest import Nest, make_nests
from emu.core.batch.span import Span, span_of
from emu.core.kernels.spec import Kernel
from emu.core.operation import kernel_for
from emu.core.state import CoreState
from emu.isa.table import BY_NAME
from emu.program.section import Section

MAX_TEMPLATES = 4096  # kept in a process, for all of its cores
MAX_BLUEPRINTS = 64  # per template
PRODUCT = BY_NAME["mvmul"].code
INSTRUCTION = ("op", "type0", "type1", "flags", "n", "arg1", "arg2", "imm")
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
    """A nest of a program: `bases` of the operands of its loop, `kernels` by statement."""

    template: Template
    bases: Sequence[int]
    kernels: Sequence[Kernel | None]


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
        if len(_templates) >= MAX_TEMPLATES:
            _templates.clear()
        _templates[key] = templates
    if not templates:
        return ()
    bases = section.columns["base"][first:last].tolist()
    return tuple(Unit(template, bases, _kernels(state, template.nest, index)) for template in templates)


def _operands(section: Section, index: int) -> int:
    columns = section.columns
    return int(columns["operand"][index]) if index < len(section) else len(columns["base"])


def _signature(state: CoreState, index: int, end: int, first: int, last: int) -> tuple[object, ...]:
    """All that the analysis depends on, except for base addresses."""
    columns = state.section.columns
    terms = columns["term"]
    begin, stop = (int(terms[row]) if row < len(terms) else len(columns["loop"]) for row in (first, last))
    product = columns["op"][index:end] == PRODUCT
    fields = [columns[name][index:end] for name in INSTRUCTION]
    fields += [np.where(product, 0, columns["arg0"][index:end]), np.maximum(columns["end"][index:end] - index, 0)]
    fields += [columns[name][first:last] for name in OPERAND] + [columns[name][begin:stop] for name in TERM]
    groups = state.groups
    specs = [groups[k].spec if 0 <= k < len(groups) else None for k in columns["arg0"][index:end][product].tolist()]
    return end - index, last - first, b"".join([array.tobytes() for array in fields]), *specs


def _kernels(state: CoreState, nest: Nest, index: int) -> list[Kernel | None]:
    """By statement, with the groups of the loop at `index`."""
    groups = state.section.columns["arg0"]
    return [
        kernel_for(s.op, state.groups[int(groups[index + s.place])]) if s.op.name == "mvmul" else s.op.kernel
        for s in nest.statements
    ]
