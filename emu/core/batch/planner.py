"""Makes the plan of a unit: computes its addresses, finds or makes a blueprint for them, prepares the array views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from emu.core.batch.access import Linear, Unplannable, make_access
from emu.core.batch.arena import Arena
from emu.core.batch.blueprint import Blueprint, make_blueprint
from emu.core.batch.expansion import ALIGNMENT
from emu.core.batch.induction import trace
from emu.core.batch.nest import AffineAddress, LoopNest, NestStatement
from emu.core.batch.plan import KernelStep, NestPlan
from emu.core.batch.span import Span, span_of
from emu.core.batch.units import MAX_BLUEPRINTS, PlacedNest
from emu.core.kernels.spec import copying
from emu.core.memory import LocalMemory


def make_plan(
    unit: PlacedNest, counters: Sequence[int], registers: Sequence[int], memory: LocalMemory, arena: Arena
) -> NestPlan:
    """The plan of `unit` at the given outer counters and registers; raises Unplannable."""
    if unit.template.nest.scalar:
        return _tracing_plan(unit, counters, registers, memory, arena)
    spans = unit.template.spans
    addresses = _addresses(unit, counters, registers)
    blueprint = _blueprint(unit, addresses, memory.size)
    if blueprint is None:
        raise Unplannable
    return _plan(unit, blueprint, spans, addresses, (), memory, arena)


def foresee(unit: PlacedNest, size: int) -> None:
    """Make the blueprint that `unit` will need in a local memory of `size` bytes, if its place never changes."""
    nest = unit.template.nest
    if not (nest.scalar or nest.counters or nest.registers):
        with suppress(Unplannable):
            _blueprint(unit, _addresses(unit, (), ()), size)


def _addresses(unit: PlacedNest, counters: Sequence[int], registers: Sequence[int]) -> list[int]:
    statements = unit.template.nest.statements
    return [
        _address(statements[span.position].affines[span.operand], unit.bases, counters, registers)
        for span in unit.template.spans
    ]


def _blueprint(unit: PlacedNest, addresses: Sequence[int], size: int) -> Blueprint | None:
    """The blueprint of the operands at `addresses`; None if there is none. Raises Unplannable outside of memory."""
    spans = unit.template.spans
    layout = _layout(spans, addresses, size)
    blueprints = unit.template.blueprints
    if layout not in blueprints:
        if len(blueprints) >= MAX_BLUEPRINTS:
            blueprints.clear()
        try:
            blueprints[layout] = make_blueprint(
                unit.template.nest, [span.at(address) for span, address in zip(spans, addresses, strict=True)]
            )
        except Unplannable:
            blueprints[layout] = None
    return blueprints[layout]


def _address(affine: AffineAddress, bases: Sequence[int], counters: Sequence[int], registers: Sequence[int]) -> int:
    address = bases[affine.row] + affine.rest
    for term in affine.outer:
        address += term.value(counters)
    return address + registers[affine.reg] if affine.reg >= 0 else address


def _layout(spans: Sequence[Span], addresses: Sequence[int], size: int) -> tuple[int, ...]:
    """A key that is equal for addresses that one blueprint fits: all operands, ascending by lowest byte.

    -1 begins a group of operands that overlap; then, per operand, its number and its distance in bytes from the
    (aligned) begin of the group. Raises Unplannable if an operand leaves the `size` bytes of memory.
    """
    both = enumerate(zip(spans, addresses, strict=True))
    placed = sorted([(address + span.low, k, address + span.high) for k, (span, address) in both])
    layout: list[int] = []
    start = reach = 0
    for low, k, high in placed:
        if low >= reach:
            start = low - low % ALIGNMENT
            layout.append(-1)
        layout += (k, low - start)
        reach = max(reach, high)
    if placed and (placed[0][0] < 0 or reach > size):
        raise Unplannable
    return tuple(layout)


def _tracing_plan(
    unit: PlacedNest, counters: Sequence[int], registers: Sequence[int], memory: LocalMemory, arena: Arena
) -> NestPlan:
    """The plan of a unit that writes registers: how operands move with them depends on their values now."""
    nest = unit.template.nest
    traced = trace(nest, registers)
    spans: list[Span] = []
    addresses: list[int] = []
    for statement in nest.statements:
        seen = traced.seen.get(statement.position, {})
        for operand in range(len(statement.op.slots)):
            if statement.op.slots[operand].count:
                spans.append(_traced_span(nest, statement, operand, seen))
                values = {number: start for number, (start, _) in seen.items()}
                affine = statement.affines[operand]
                known = [values.get(number, 0) for number in range(len(registers))]
                addresses.append(_address(affine, unit.bases, counters, known))
    _layout(spans, addresses, memory.size)
    blueprint = make_blueprint(nest, [span.at(address) for span, address in zip(spans, addresses, strict=True)])
    return _plan(unit, blueprint, spans, addresses, traced.final, memory, arena)


def _traced_span(nest: LoopNest, statement: NestStatement, operand: int, seen: Mapping[int, Linear]) -> Span:
    if statement.affines[operand].reg >= 0 and statement.affines[operand].reg not in seen:
        raise Unplannable
    return span_of(make_access(nest, statement, operand, 0, seen))


def _plan(
    unit: PlacedNest,
    blueprint: Blueprint,
    spans: Sequence[Span],
    addresses: Sequence[int],
    registers: Sequence[tuple[int, int]],
    memory: LocalMemory,
    arena: Arena,
) -> NestPlan:
    data, slots = memory.data, arena.take(blueprint.arena)
    steps: list[KernelStep] = []
    for spec in blueprint.steps:
        kernel, kernel_at = spec.kernel or unit.kernels[spec.position], unit.kernels_at.get(spec.position)
        views = tuple([view.make(data, slots, addresses) for view in spec.views])
        steps.append(KernelStep(kernel, kernel_at, spec.path, views, spec.expanded))
    copies = [copying(*[view.make(data, slots, addresses) for view in copy]) for copy in blueprint.copies]
    return NestPlan(unit.template.nest, blueprint, steps, spans, addresses, copies, registers)
