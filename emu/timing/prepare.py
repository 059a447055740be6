"""Makes what executors need of programs and a chip, and refuses what cannot be timed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emu.arch import Arch
from emu.arch.schema import schema
from emu.check.deadlock import Deadlocks
from emu.check.matching import check_matching
from emu.check.verdict import Outcome
from emu.errors import ArchError
from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.noc.ports.port import FlowControl
from emu.operands.timeline import TooMuch
from emu.program.nesting import executions
from emu.program.program import Program
from emu.replay.core_view import CoreView
from emu.replay.traces import Conversation, ExchangeTrace, core_traces
from emu.timing.basis.refused import TimingRefused
from emu.timing.basis.units import NO_UNIT, TRANSFER, picoseconds
from emu.timing.chip.needed import missing, needed
from emu.timing.chip.product import model_of, product_keys
from emu.timing.model.section_costs import section_costs
from emu.timing.model.widths import widths_of
from emu.timing.network.network import NetworkTimes, network_of
from emu.timing.setup import SECTIONS, Setup, TimedCore, TimedSection
from emu.wording import counted

MOST = 1 << 62  # ps, and counts
HOUR = 3600e12  # ps
_BETWEEN_CHIPS = "timing.chip_link"
_HOPS = ("network.flit_ns", "network.hop_ns")  # a table of latencies stands in their place


def prepare(programs: Mapping[int, Program], arch: Arch, flow: FlowControl, samples: int = 1) -> Setup:
    """What executors need of validated programs by core, for so many samples. Raises ArchError or TimingRefused."""
    if arch.timing is None:
        raise ArchError(f"{arch.title} has no table [timing]: add one, or take another architecture")
    if any(map(_multiplies, programs.values())):
        needed(arch, product_keys(arch), "for the time of a product")
    views = {core: CoreView(programs[core], arch) for core in sorted(programs)}
    refuse_stuck(views, flow)
    widths, network = widths_of(arch, programs.values()), network_of(arch, list(views))
    model = model_of(arch)
    cores = {
        core: TimedCore(
            view.program,
            {
                name: TimedSection(section, section_costs(section, widths, network, len(views), model))
                for name, section in view.sections.items()
            },
        )
        for core, view in views.items()
    }
    fill = picoseconds(arch.timing.control.fill_ns or 0.0)
    window = arch.timing.window or model.window
    refuse_endless(cores, network, samples)
    return Setup(cores, window, arch.timing.local_ports or 0, 1, network, flow.credits, fill)


def absent(arch: Arch) -> list[str]:
    """The figures that a chip lacks and whose parts therefore take no time."""
    return missing(arch, timing_keys(arch))


def timing_keys(arch: Arch) -> tuple[str, ...]:
    """The figures that a chip may lack, beside those of products, without which what they stand for takes no time."""
    known = sorted(schema().items(), key=lambda entry: entry[0] == "network")  # what is of no core comes last
    known = [(table, named) for table, named in known if table != _BETWEEN_CHIPS or arch.system.chips > 1]
    keys = [f"{table}.{name}" for table, named in known for name, key in named.items() if key.zero_if_absent]
    return tuple(key for key in keys if arch.network.latency_table_ns is None or key not in _HOPS)


def refuse_stuck(views: Mapping[int, CoreView], flow: FlowControl) -> None:
    """Raise TimingRefused for programs that never end, with the report of `emu check`."""
    traces: dict[str, dict[int, ExchangeTrace]] = {name: {} for name in SECTIONS}
    try:
        for core, view in views.items():
            for name, trace in core_traces(view).items():
                traces[name][core] = trace
    except TooMuch as much:
        raise TimingRefused(f"cannot follow the messages: {much}") from None
    talk = Conversation(traces, {core: view.program for core, view in views.items()})
    report = Deadlocks(talk).under(flow)
    if report is not None:
        raise TimingRefused(f"under {flow}: {report}")
    matching = check_matching(talk)
    if matching.outcome is Outcome.REFUTED:
        raise TimingRefused(matching.detail)


def refuse_endless(cores: Mapping[int, TimedCore], network: NetworkTimes, samples: int) -> None:
    """Raise TimingRefused if times or counts of so many samples may not fit in 64 bits.

    In the worst case everything happens one after the other, and each request goes four times the longest way.
    """
    total, most, way = 0.0, 0.0, 4.0 * network.longest(cores)
    for core in cores.values():
        for name, section in core.sections.items():
            costs = section.costs
            times = (samples if name == "main" else 1) * executions(section.view.section).astype(np.float64)
            columns = (costs.issue, costs.read, costs.compute, costs.write, costs.wire, costs.service)
            lasts = sum(column.astype(np.float64) for column in columns) + way * (costs.unit == TRANSFER)
            total += float((times * lasts * (costs.unit != NO_UNIT)).sum())
            most = max([most, *(float((times * amounts).sum()) for amounts in costs.counts.values())])
    if total > MOST:
        hours = f"{total / HOUR:.3g} hours, more than the limit of {MOST / HOUR:.0f} hours"
        raise TimingRefused(f"{counted(samples, 'sample')} may take {hours}: time fewer samples")
    if most * len(cores) > MOST:
        raise TimingRefused(f"counts of {counted(samples, 'sample')} may not fit into 64 bits: time fewer samples")


def _multiplies(program: Program) -> bool:
    ops = (section.columns["op"] for section in (program.init, program.main))
    return any(bool((ON_GROUP[op] & ~WRITES_GROUP[op]).any()) for op in ops)
