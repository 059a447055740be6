"""The options of `emu validate` that are neither of a compilation nor of every run."""

from __future__ import annotations

from typing import Any

import click

from launch.cli.choices import GoldenType
from launch.cli.input_option import input_option
from launch.cli.numbers import Finite
from launch.cli.options import COUNT, FILE, NATURAL, NEW_FOLDER, apply


class BoundType(click.ParamType):
    """A number, or a ratio to --baseline, kept as text."""

    def __init__(self, ratio_only: bool = False) -> None:
        self.name = "R" if ratio_only else "N|Rx"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Both forms."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the form; the run parses it again."""
        from emu.errors import InputError
        from launch.runs.budget import parse_bound

        assert param is not None and param.name is not None
        try:
            parse_bound(param.name, value)
        except InputError as error:
            self.fail(str(error), param, ctx)
        return str(value)


budget_options = apply(
    click.option("--max-cores", type=BoundType(), help="Fail if more cores hold a program (1.1x: than in --baseline)."),
    click.option("--max-crossbars", type=BoundType(), help="Fail if more crossbars are in use."),
    click.option("--max-messages", type=BoundType(), help="Fail if cores send more messages per sample."),
    click.option("--max-bytes", type=BoundType(), help="Fail if cores send more bytes per sample."),
    click.option(
        "--max-latency-ratio",
        type=BoundType(ratio_only=True),
        help="Fail if a sample takes R times as long as in --baseline, on a machine as fast.",
    ),
    click.option(
        "--baseline", type=FILE, metavar="FILE.json", help="What --json printed of an earlier run, or of a suite."
    ),
)

label_options = apply(
    click.option("--labels", default="", metavar="KEY", help="Array of --input with class labels: gives the accuracy."),
    click.option(
        "--min-accuracy",
        type=Finite(min=0, max=1),
        metavar="X",
        help="Fail if fewer labels are right: a share, 0 to 1.",
    ),
)

repeat_option = click.option(
    "--repeat", type=COUNT, metavar="N", default=1, show_default=True, help="Run all samples this many times."
)
keep_informs_option = click.option(
    "--keep-informs", is_flag=True, help="Let kept tensors that differ from the golden ones not fail the run."
)
bisect_option = click.option(
    "--bisect",
    is_flag=True,
    help="After a run that differs, name the first wrong node, its core, instruction, crossbar or message.",
)

comparing_options = apply(
    input_option,
    label_options,
    click.option(
        "--golden",
        type=GoldenType(),
        default="onnxruntime",
        show_default=True,
        help="What to compare with: an evaluator (numpy is another name of reference), a file, or none.",
    ),
    click.option("--seed", type=NATURAL, metavar="N", help="Seed of the inputs, without --input.  [default: 0]"),
    click.option(
        "--samples", type=COUNT, metavar="N", help="Number of samples drawn from --seed, without --input.  [default: 1]"
    ),
    repeat_option,
    click.option(
        "--keep",
        multiple=True,
        metavar="NODE|all",
        help="Compare the output of this ONNX node (or tensor), too (repeatable).",
    ),
    keep_informs_option,
    bisect_option,
)

folder_options = apply(
    click.option(
        "--keep-artifacts",
        type=NEW_FOLDER,
        metavar="DIR",
        help="Keep image, inputs, outputs, golden values, logs, report and a script that repeats it, if the run fails.",
    ),
    click.option("--name", default="", metavar="NAME", help="What the run is called there (default: as the model is)."),
)
