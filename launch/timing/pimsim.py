"""Programs of pimsim-nn, timed by its rules."""

from __future__ import annotations

from pathlib import Path

from emu.errors import InputError, option
from emu.image.reader import open_image
from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.importing.raw_program import CONFIG, kept_chip, read_raw
from emu.interop.pim_isa.timing.time_program import Timed, time_columns, time_program
from emu.wording import counted
from launch.text.answer import Answer, Table, warnings
from launch.text.columns import Column, listed
from launch.text.units import energy_text, power_text, time_text
from launch.timing.options import TimeOptions

_SHOWN = 20  # cores in the table for people
COMPONENTS = (
    Column("component", "component"),
    Column("dynamic", "dynamic", "pj"),
    Column("static", "static", "pj"),
    Column("share", "share", "share"),
)
CORES = (Column("core", "core", "core"), Column("finish", "finish", "ps"), Column("pj", "dynamic energy", "pj"))


def pimsim_figures(path: Path, options: TimeOptions) -> Answer:
    """Time the program at `path` on a configuration; raises InputError."""
    if options.arch is None:
        raise InputError(
            f"{path} is a program of pimsim-nn: name the configuration of its chip with {option('arch', 'CONFIG')}"
        )
    arch = Path(options.arch)
    timed = time_program(path, arch, options.simulator or "upstream", options.executor or "auto")
    return _answer(path, arch, timed, options.details)


def imported_figures(path: Path, options: TimeOptions) -> Answer:
    """Time the program that was imported into the image at `path`, on the configuration kept there or another one.

    Raises InputError.
    """
    open_image(path)  # compares digests
    chip, arch = kept_chip(path), path / CONFIG
    if options.arch is not None:
        arch = Path(options.arch)
        chip = read_chip(arch)
    if chip is None:
        raise InputError(
            f"{path} was imported without a configuration of its chip: name one with {option('arch', 'CONFIG')}, or"
            " import it with one"
        )
    program = read_raw(path)
    timed = time_columns(program, chip, options.simulator or "upstream", options.executor or "auto")
    return _answer(path, arch, timed, options.details)


def _answer(path: Path, arch: Path, timed: Timed, details: bool) -> Answer:
    values = {"subject": "pimsim", "program": str(path), "arch": str(arch), **timed.to_dict()}
    parts = [*_lines(path, timed), *(_tables(timed) if details else ())]
    return Answer(values, parts, warnings(timed.warnings))


def _lines(path: Path, timed: Timed) -> list[str]:
    run, setup = timed.run, timed.setup
    instructions = sum(core.columns.count for core in setup.cores)
    window = counted(setup.window, "operation")
    power = f", {power_text(timed.energy.total / run.latency * 1000)} on average" if run.latency else ""
    return [
        f"{path}: {counted(len(setup.cores), 'core')}, {counted(instructions, 'instruction')}, window of {window}",
        f"latency {time_text(run.latency)}, energy {energy_text(timed.energy.total)}{power}",
        f"by the rules of {setup.simulator.source}; executor {run.executor}, order of what ends together: {run.ties}",
    ]


def _tables(timed: Timed) -> list[Table]:
    energy, run = timed.energy, timed.run
    parts = [
        {"component": name, "dynamic": energy.dynamic.get(name, 0.0), "static": energy.static.get(name, 0.0)}
        for name in sorted(energy.dynamic.keys() | energy.static.keys(), key=lambda name: -_both(timed, name))
    ]
    rows = [
        {**part, "share": _both(timed, part["component"]) / energy.total}
        for part in parts
        if any((part["dynamic"], part["static"]))
    ]
    last = sorted(run.finish, key=lambda core: (-run.finish[core], core))
    finish = [{"core": core, "finish": run.finish[core], "pj": sum(energy.by_core[core].values())} for core in last]
    return [listed("energy", COMPONENTS, rows), listed("cores by finish, the last ones first", CORES, finish, _SHOWN)]


def _both(timed: Timed, name: str) -> float:
    return timed.energy.dynamic.get(name, 0.0) + timed.energy.static.get(name, 0.0)
