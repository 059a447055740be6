"""What the keys of an architecture file cannot say together, though each of them is possible alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from emu.arch import QUEUES, Arch
from emu.wording import counted


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A key, written with its table, and what is wrong with it beside the others."""

    key: str
    sentence: str


def contradiction(arch: Arch) -> Contradiction | None:
    """The first contradiction of a description; None if there is none."""
    return next(_contradictions(arch), None)


def _contradictions(arch: Arch) -> Iterator[Contradiction]:
    yield from _counts(arch)
    yield from _network(arch)
    yield from _powers(arch)


def _counts(arch: Arch) -> Iterator[Contradiction]:
    """Parts that do not fill what they are parts of."""
    core, crossbar = arch.core, arch.crossbar
    whole_parts = (
        ("core.crossbars_per_mvmu", core.crossbars_per_mvmu, counted(core.crossbars, "crossbar"), core.crossbars),
        ("chip.cores_per_cluster", arch.cores_per_cluster, counted(arch.cores, "core"), arch.cores),
    )
    for key, size, what, total in whole_parts:
        if size is not None and total % size:
            yield Contradiction(key, f"{size} does not divide the {what} that there are")
    lines_in_use = (
        ("crossbar.dac_count", crossbar.dac_count, "word", crossbar.rows),
        ("crossbar.parallel_rows", crossbar.parallel_rows, "word", crossbar.rows),
        ("crossbar.adc_count", crossbar.adc_count, "bit", crossbar.cols),
    )
    for key, count, line, lines in lines_in_use:
        if count is not None and count > lines:
            yield Contradiction(key, f"{count} exceeds the {counted(lines, f'{line} line')} of a crossbar")


def _network(arch: Arch) -> Iterator[Contradiction]:
    network = arch.network
    if network.width > arch.cores:
        yield Contradiction("network.width", f"{network.width} exceeds the {counted(arch.cores, 'core')}")
    if network.latency_table_ns is None:
        return
    nodes = arch.cores + 1
    if len(network.latency_table_ns) != nodes:
        rows = counted(len(network.latency_table_ns), "row")
        yield Contradiction(
            "network.latency_table_ns", f"has {rows}, not {nodes}: one for each core, and one for global memory"
        )
    for key in ("hop_ns", "base_ns"):
        if getattr(network, key) is not None:
            yield Contradiction(f"network.{key}", "is given beside latency_table_ns: leave one of them out")
    if network.contention in QUEUES:
        sentence = f'is "{network.contention}" beside latency_table_ns, which knows no links'
        yield Contradiction("network.contention", sentence)


def _powers(arch: Arch) -> Iterator[Contradiction]:
    """Parts that do nothing at a higher power than at work."""
    for part in fields(arch.energy) if arch.energy else ():
        power = getattr(arch.energy, part.name)
        if None not in (power.power_mw, power.static_mw) and power.static_mw > power.power_mw:
            sentence = f"{power.static_mw:g} exceeds power_mw {power.power_mw:g}, in which it is included"
            yield Contradiction(f"energy.{part.name}.static_mw", sentence)
