"""`emu mop`: meta-operator flows, checked without data or executed against golden values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers
from launch.cli.completion import presets
from launch.cli.numbers import Finite
from launch.cli.options import as_option
from launch.cli.values import FILE, NEW_FILE
from launch.text.answer import Answer

ACTIONS = click.Choice(["check", "run"])
_OF_RUN = ("weights", "inputs", "golden", "save", "tolerance")


@click.command(
    short_help="Check or run a meta-operator flow.",
    epilog="""\b
Examples:
  emu compile lenet.onnx --emit mop -o out/lenet --arch puma
  emu mop check out/lenet/flow.mop
  emu mop run out/lenet/flow.mop --save made.npz
  emu mop run by-hand.mop --weights w.npz --inputs in.npz --golden want.npz --arch chip.toml""",
)
@click.argument("action", type=ACTIONS)
@click.argument("file", type=FILE)
@click.option(
    "--arch",
    metavar="CHIP",
    shell_complete=presets,
    help="The chip: a preset's name or a TOML file (default: the one that the flow declares).",
)
@click.option("--weights", type=FILE, help="Of run: the arrays that the flow names (default: weights.npz beside it).")
@click.option("--inputs", type=FILE, help="Of run: one or more samples (default: inputs.npz beside it).")
@click.option(
    "--golden", type=FILE, help="Of run: the right outputs (default: golden.npz beside it, for inputs beside it)."
)
@click.option("--save", type=NEW_FILE, help="Of run: write the outputs, as .npz, to this file.")
@click.option(
    "--tolerance",
    type=Finite(min=0),
    metavar="X",
    help="Of run: largest allowed difference of floats, as launch. Integers must always be equal.",
)
@answers()
def command(action: str, file: Path, arch: str | None, **options: Any) -> Answer:
    """Check the meta-operator flow in FILE, or run it and compare what it makes with golden values.

    Checked are addresses, crossbars, rows, the computing mode of the chip, reads of what nothing has written, and what
    the operators of a parallel block share. docs/mop.md says what each operator means.

    Exit code 0: nothing is wrong; 1: the flow breaks a rule (check), or outputs differ (run); 2: bad usage or input.
    """
    from emu.arch_file import load_arch
    from emu.mop.chip import chip_of

    chip = chip_of(load_arch(arch)) if arch is not None else None
    if action == "run":
        from launch.mop.running import run_file

        run = run_file(file, arch=chip, **options)
        return Answer(run.to_dict(), run.lines(), exit_code=0 if run.passed else 1)
    idle = next((name for name in _OF_RUN if options[name] is not None), "")
    if idle:
        raise click.UsageError(f"{as_option(idle)} has no effect with check, which needs no data: leave it out")
    from emu.mop.checker import check_flow, chip_for, summary, told
    from emu.mop.parser import read_flow

    flow = read_flow(file)
    report = check_flow(flow, chip_for(flow, chip))
    return Answer(
        {"file": str(file), "passed": report.passed, **report.to_dict()},
        [*told(str(file), report), f"{file}: {summary(report)}"],
        exit_code=0 if report.passed else 1,
    )
