"""Images for `emu time`: the report, and what it was asked for beside it, as lines and tables."""

from __future__ import annotations

from pathlib import Path

from emu.errors import option
from emu.noc.ports.port import FlowControl
from emu.timing.changes import parse_changes
from emu.wording import counted
from launch.text.answer import Answer, Table, warnings
from launch.text.csv_text import numbers_csv
from launch.text.units import energy_text, number_text, power_text, time_text
from launch.timing.energy import EnergyReport
from launch.timing.options import TimeOptions
from launch.timing.report import TimingReport, make_report
from launch.timing.tables import report_tables
from launch.timing.timed_image import SAMPLES, time_image
from launch.timing.values import LISTS, report_values
from launch.timing.what_if import bottleneck_table, bottlenecks, outcome, outcome_lines, outcome_values


def image_figures(path: Path, options: TimeOptions) -> Answer:
    """Time the image at `path`; raises ArchError or ProgramError."""
    changes = parse_changes(options.what_if) if options.what_if is not None else None
    flow = FlowControl.parse(options.flow) if options.flow else FlowControl()
    timed = time_image(path, options.arch, flow, options.samples or SAMPLES)
    report = make_report(timed)
    values, lines, tables = report_values(report), _lines(report), list[Table]()
    table = numbers_csv(values, LISTS)
    if options.critical_path:
        from launch.timing.critical import critical, critical_tables

        path = critical(timed)
        values["critical_path"] = path.to_dict()
        tables += critical_tables(timed, path)
    if changes is not None:
        found = outcome(timed, changes)
        values["what_if"] = outcome_values(timed, found)
        lines += outcome_lines(timed, found)
    if options.bottlenecks:
        all_free = bottlenecks(timed)
        values["bottlenecks"] = [outcome_values(timed, each) for each in all_free]
        tables.append(bottleneck_table(timed, all_free))
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
    timed, energy = report.timed, report.energy
    rate = f", {number_text(1e12 / report.period_ps)} samples per second" if report.period_ps else ""
    steady = f"; in the steady state {time_text(report.period_ps)} per sample{rate}" if timed.samples > 1 else ""
    without = report.without_communication
    lines = [
        f"{timed.image.path} on {timed.chip.name}: {counted(len(timed.programs), 'core')}, {timed.flow},"
        f" window of {counted(timed.setup.window, 'operation')}, {counted(timed.samples, 'sample')} back to back",
        f"latency of a sample {time_text(report.latency_ps)}{steady}",
        f"with a network that takes no time: latency {time_text(without.latency_ps)},"
        f" {time_text(without.period_ps)} per sample",
    ]
    if energy:
        static = report.static_pj(report.period_ps)
        lines.append(
            f"energy of a sample {energy_text(energy.dynamic_pj + static)}: dynamic {energy_text(energy.dynamic_pj)}"
            f"{_communication(energy)}, static {energy_text(static)}"
        )
        if report.power_mw is not None:
            lines[-1] += f"; average power {power_text(report.power_mw)}"
        if energy.adc_share is not None:
            lines.append(f"analog-to-digital converters take {energy.adc_share:.1%} of the dynamic energy")
    if report.area_mm2 is not None:
        chips = timed.chip.system.chips
        lines.append(f"area of the {f'{chips} chips' if chips > 1 else 'chip'} {number_text(report.area_mm2)} mm2")
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


def _communication(energy: EnergyReport) -> str:
    pj = energy.communication_pj
    return "" if pj is None else f" ({energy_text(pj)} of it for communication)"


def _unknown(report: TimingReport) -> list[str]:
    """What could not be computed, and why."""
    chip, energy = report.timed.chip.name, report.energy
    lines: list[str] = []
    if report.missing:
        lines.append(f"takes no time here, as {chip} says nothing of it: {', '.join(report.missing)}")
    if energy is None:
        lines.append(f"no energy: {chip} has no table [energy]")
    elif energy.unpriced:
        names = ", ".join(".".join(action) for action in energy.unpriced)
        lines.append(f"not in the energy, as {chip} has no price for it: {names}")
    if energy and not energy.static.used:
        lines.append(f"no static energy: {chip} has no static_mw of any component")
    if energy and energy.adc_share is None:
        lines.append(f"no share of the converters: {chip} has no price for them alone")
    if report.area_mm2 is None:
        lines.append(f"no area: {chip} has no table [area] with a size in it")
    return lines


def _warnings(report: TimingReport) -> tuple[str, ...]:
    if report.steady or report.timed.samples < 3:
        return ()
    return (
        f"the last of {report.timed.samples} samples did not take the times of those before: the pipeline is not yet in"
        f" its steady state; ask for more with {option('samples')}",
    )
