"""Outcomes and profiles as tables, and as blocks of a Markdown page."""

from __future__ import annotations

from collections.abc import Sequence

from emu.wording import counted
from launch.bench.bounds import Bounds
from launch.bench.measurement import RowOutcome
from launch.bench.profile import Profile
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table
from launch.text.units import size_text

COLUMNS = ("row", "what", "ours", "baseline", "ratio", "target", "moonshot", "")
ALIGN = "llrrrrrl"


def rows_table(outcomes: Sequence[RowOutcome]) -> Table:
    """A table of all rows."""
    return Table("", COLUMNS, [cells(outcome) for outcome in outcomes], ALIGN)


def cells(outcome: RowOutcome) -> tuple[str, ...]:
    """One row of the table."""
    measured = outcome.measurement
    goals = tuple("" if goal is None else goal.text() for goal in (outcome.target, outcome.moonshot))
    numbers = (
        ("", "", "") if measured is None else _numbers(measured.ours, measured.baseline, measured.unit, measured.ratio)
    )
    return outcome.name, outcome.title, *numbers, *goals, outcome.verdict


def _numbers(ours: float, baseline: float | None, unit: str, ratio: float | None) -> tuple[str, str, str]:
    own = f"{number(ours)} {unit}".rstrip()
    if baseline is None or ratio is None:
        return own, "", ""
    return own, f"{number(baseline)} {unit}".rstrip(), f"{number(ratio)}x"


def number(value: float) -> str:
    """Three significant digits, never an exponent."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def notes(outcomes: Sequence[RowOutcome]) -> list[str]:
    """One sentence per row: what the baseline is and how both were measured, or why there is no figure."""
    return [f"{outcome.name}: {_note(outcome)}" for outcome in outcomes]


def _note(outcome: RowOutcome) -> str:
    measured = outcome.measurement
    if measured is None:
        return f"not measured: {outcome.error}"
    return "; ".join(filter(None, (f"against {measured.against}" if measured.against else "", measured.note)))


def rows_block(outcomes: Sequence[RowOutcome], machine: str) -> str:
    """What docs/performance.md holds of a run of all rows."""
    table = markdown_table(rows_table(outcomes))
    listed = "\n".join(f"* {note}" for note in notes(outcomes))
    return f"{machine}.\n\n{table}\n\n{listed}"


BUSIEST = 8


def parts_table(profiles: Sequence[Profile]) -> Table:
    """Processor milliseconds per image by what they are spent on, and their share."""
    columns = ["processor time per image", *(text for p in profiles for text in (f"{p.mode}, ms", "share"))]
    rows = [
        (part, *(text for p in profiles for text in _share(p.parts[part], p.processors * p.latency)))
        for part in profiles[0].parts
    ]
    total = ("all processors", *(text for p in profiles for text in _share(p.processors * p.latency, 0)))
    return Table("", columns, [*rows, total], "l" + "rr" * len(profiles))


def _share(value: float, total: float) -> tuple[str, str]:
    return f"{value:.1f}", f"{value / total:.0%}" if total else ""


def kernels_table(profiles: Sequence[Profile]) -> Table:
    """Milliseconds and calls of each kind of kernel."""
    columns = ["kernel", "calls", *(f"{p.mode}, ms" for p in profiles)]
    rows = [
        (name, f"{calls:.0f}", *(f"{p.kernels.get(name, (0.0, 0.0))[0]:.1f}" for p in profiles))
        for name, (_, calls) in profiles[0].kernels.items()
    ]
    return Table("", columns, rows, "lr" + "r" * len(profiles))


def cores_table(profile: Profile) -> Table:
    """The busiest cores: own work, all threads, and time without a processor."""
    rows = [
        (str(core), f"{own['thread']:.1f}", f"{own['all']:.1f}", f"{own['delay']:.1f}")
        for core, own in list(profile.cores.items())[:BUSIEST]
    ]
    columns = ("busiest cores", "own thread, ms", "all threads, ms", "ready but not running, ms")
    return Table("", columns, rows, "rrrr")


def lines(profiles: Sequence[Profile]) -> list[str]:
    """One sentence per way of running."""
    return [
        f"{p.mode}: {p.latency:.1f} ms per image with clocks in every core, {p.plain:.1f} ms without" for p in profiles
    ]


def bounds_table(found: Bounds, profile: Profile) -> Table:
    """Milliseconds of an image: its kernels alone, its messages alone, both, and the chip."""
    count, both = profile.processors, found.processor
    exchanged = (
        f"{counted(found.messages, 'message')} and {counted(found.asked, 'load or store', 'loads and stores')}, "
        f"{size_text(found.nbytes)}, between {counted(found.processes, 'bare process')}"
    )
    rows = [
        (f"{counted(found.calls, 'call')} of kernels, alone in one process", *_ms(found.kernels, found.kernels)),
        (exchanged, *_ms(found.bare.processor, found.bare.wall)),
        (f"both, if {counted(count, 'processor')} never waited", *_ms(both, found.latency(count))),
        ("the chip, one image at a time, without clocks", "", f"{profile.plain:.1f}"),
    ]
    return Table("", ("what bounds an image", "of processors, ms", "that pass, ms"), rows, "lrr")


def _ms(*values: float) -> tuple[str, ...]:
    return tuple(f"{1e3 * value:.1f}" for value in values)


def tables(profiles: Sequence[Profile], found: Bounds | None = None) -> list[Table]:
    """All tables, in the order in which they are read."""
    own = [parts_table(profiles), kernels_table(profiles), cores_table(profiles[0])]
    return own if found is None else [*own, bounds_table(found, profiles[0])]


def profile_block(network: str, profiles: Sequence[Profile], found: Bounds | None, machine: str) -> str:
    """What docs/performance.md holds of a profile."""
    shown = map(markdown_table, tables(profiles, found))
    listed = "\n".join(f"* {line}" for line in lines(profiles))
    return "\n\n".join([f"{network} on {machine}.", listed, *shown])
