"""Meta-operator flows, as `emu check` and `emu launch` take them: checked without data, or run and compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from launch.cli.completion import presets
from launch.cli.given import refuse_besides, refuse_given
from launch.cli.options import apply
from launch.cli.values import FILE, FLOW
from launch.text.answer import Answer

if TYPE_CHECKING:
    from emu.interop.mop.chip import MopChip

WHAT, NO_GOLDEN = "a meta-operator flow", "none"
OF_RUNS = ("out", "arch", "weights", "input_file", "golden", "save", "tolerance")
OF_CHECKS = ("out", "arch")
arch_of_flow = click.option(
    "--arch",
    metavar="CHIP",
    shell_complete=presets,
    help="Of a flow: the chip, a preset's name or a TOML file (default: the one that the flow declares).",
)
flow_options = apply(
    arch_of_flow,
    click.option("--weights", type=FILE, help="Of a flow: the arrays that it names (default: weights.npz beside it)."),
)


def is_flow(path: Path) -> bool:
    """Whether it is the file of a flow, by its name."""
    return path.suffix == FLOW and path.is_file()


def refuse_options_of_flows() -> None:
    """UsageError for an option on the command line that only flows have, where programs are named."""
    for name in ("arch", "weights"):
        refuse_given(name, "is of a meta-operator flow (.mop)")


def checked(file: Path, arch: str | None) -> Answer:
    """Whether the flow in `file` keeps the rules of the chip: exit code 1 if not."""
    from emu.interop.mop.checker import check_flow, chip_for, summary, told
    from emu.interop.mop.parser import read_flow

    refuse_besides(OF_CHECKS, WHAT)
    flow = read_flow(file)
    report = check_flow(flow, chip_for(flow, _chip(arch)))
    return Answer(
        {"file": str(file), "passed": report.passed, **report.to_dict()},
        [*told(str(file), report), f"{file}: {summary(report)}"],
        exit_code=0 if report.passed else 1,
    )


def launched(flow: Path, options: Mapping[str, Any]) -> Answer:
    """What the flow in the file `flow` makes, compared with golden values: exit code 1 if it differs."""
    refuse_besides(OF_RUNS, WHAT)
    from launch.mop.running import run_file
    from launch.samples.input_values import split_inputs

    golden = options["golden"]
    if golden not in (None, NO_GOLDEN) and not Path(golden).is_file():
        raise click.UsageError(f"--golden {golden} computes a model, and {WHAT} has none: give a file, or none")
    file, values = split_inputs(options["input_file"])
    run = run_file(
        flow,
        arch=_chip(options["arch"]),
        weights=options["weights"],
        inputs=file,
        values=values,
        golden=None if golden in (None, NO_GOLDEN) else Path(golden),
        compares=golden != NO_GOLDEN,
        save=options["save"],
        tolerance=options["tolerance"],
    )
    return Answer(run.to_dict(), run.lines(), exit_code=0 if run.passed else 1)


def _chip(arch: str | None) -> MopChip | None:
    from emu.arch.read import load_arch
    from emu.interop.mop.chip import chip_of

    return chip_of(load_arch(arch)) if arch is not None else None
