"""Images for `emu time`: the report, and what it was asked for beside it, as lines and tables."""

from __future__ import annotations

from pathlib import Path

from emu.errors import option
from emu.noc.ports.port import FlowControl
from emu.timing.changes import parse_changes
from emu.timing.chip.sums import areas_of
from emu.wording import counted
from launch.text.answer import Answer, Part, warnings
from launch.text.csv_text import numbers_csv
from launch.text.units import number_text, time_text
from launch.timing.energy_lines import energy_lines, shares_text, uncounted
from launch.timing.options import TimeOptions
from launch.timing.report import TimingReport, make_report
from launch.timing.tables import report_tables
from launch.timing.timed_image import SAMPLES, time_image
from launch.timing.values import LISTS, report_values
from launch.timing.what_if import what_if, what_if_notes, what_if_table


def image_figures(path: Path, options: TimeOptions) -> Answer:
    """Time the image at `path`; raises ArchError or ProgramError."""
    changes = parse_changes(options.what_if) if options.what_if is not None else None
    flow = FlowControl.parse(options.flow) if options.flow else FlowControl()
    timed = time_image(path, options.arch, flow, options.samples or SAMPLES)
    report = make_report(timed)
    values, lines, tables = report_values(report), _lines(report), list[Part]()
    table = numbers_csv(values, LISTS)
    if options.critical_path:
        from launch.timing.critical import critical, critical_tables

        chain = critical(timed)
        values["critical_path"] = chain.to_dict()
        tables += critical_tables(timed, chain)
    if changes is not None:
        found = what_if(timed, changes)
        values["what_if"] = found.to_dict() | {"today": found.today.to_dict()}
        tables += [what_if_table(found), *what_if_notes(found)]
    if options.bottlenecks:
        from launch.timing.bottlenecks import bottleneck_parts, bottlenecks

        bounds = bottlenecks(report)
        values |= bounds.to_dict()
        tables += bottleneck_parts(bounds)
    if options.peak_power:
        from launch.timing.peak import peak_lines, peak_of, peak_values

        values["peak_power"] = peak_values(timed, peak_of(timed))
        lines += peak_lines(timed, values["peak_power"])
    if options.trace is not None:
        from launch.timing.trace import tracks
        from launch.tracing.trace_file import write_trace

        write_trace(options.trace, tracks(timed))
        values["trace"] = str(options.trace)
        lines.append(f"the first sample is in {options.trace}: open it at ui.perfetto.dev")
    details = report_tables(values) if options.details else ()
    return Answer(values, [*lines, *details, *tables], warnings(_warnings(report)), csv=lambda: table)


def _lines(report: TimingReport) -> list[str]:
    timed = report.timed
    rate = f", {number_text(1e12 / report.period_ps)} samples per second" if report.period_ps else ""
    steady = f"; in the steady state {time_text(report.period_ps)} per sample{rate}" if timed.samples > 1 else ""
    without = report.without_communication
    lines = [
        f"{timed.image.path} on {timed.chip.name}: {counted(len(timed.programs), 'core')}, {timed.flow},"
        f" window of {counted(timed.setup.window, 'operation')}, {counted(timed.samples, 'sample')} back to back",
        f"latency of a sample {time_text(report.latency_ps)}{steady}",
        f"with a network that takes no time: latency {time_text(without.timing.latency)},"
        f" {time_text(without.period)} per sample",
        *energy_lines(report),
    ]
    if report.area_mm2 is not None:
        chips, areas = timed.chip.system.chips, shares_text(areas_of(timed.chip))
        of = f"{chips} chips" if chips > 1 else "chip"
        lines.append(f"area of the {of} {number_text(report.area_mm2)} mm2 ({areas})")
    if report.wear:
        lines.append(report.wear.line())
    if report.busiest and report.period_ps:
        busiest = report.busiest
        lines.append(
            f"busiest unit: {busiest.unit} of core {busiest.core} ({', '.join(busiest.nodes)}),"
            f" {time_text(busiest.busy_ps)} per sample, {busiest.busy_ps / report.period_ps:.1%}"
        )
    if report.idle:
        lines.append(report.idle.sentence)
    return [*lines, f"by the model {report.model!r}: {report.source}", *_unknown(report)]


def _unknown(report: TimingReport) -> list[str]:
    """What could not be computed, and why."""
    chip, keys = report.timed.chip.name, dict[str, list[str]]()
    for key in report.missing:
        table, _, name = key.rpartition(".")
        keys.setdefault(table, []).append(name)
    names = ", ".join(f"{table}.{'/'.join(of)}" for table, of in keys.items())
    return [
        *([f"takes no time here, as {chip} says nothing of it: {names}"] if keys else []),
        *filter(None, [uncounted(report)]),
        *([f"no area: {chip} has no table [area] with a size in it"] if report.area_mm2 is None else []),
    ]


def _warnings(report: TimingReport) -> tuple[str, ...]:
    remarks = report.timed.chip.remarks
    if report.steady or report.timed.samples < 3:
        return remarks
    return (
        *remarks,
        f"the last of {report.timed.samples} samples did not take the times of those before: the pipeline is not yet in"
        f" its steady state; ask for more with {option('samples')}",
    )
