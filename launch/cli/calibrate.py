"""`emu calibrate`: ranges of converters, measured on data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.analog.calibrate_options import CalibrateOptions
from launch.cli.answering import answers, json_wanted
from launch.cli.option_fields import options_of
from launch.cli.text_lines import PROGRAMS
from launch.text.answer import Answer


@click.command(
    short_help="Ranges of converters, measured on data.",
    epilog="""\b
Examples:
  emu calibrate out/digits --input digits.npz
  emu calibrate out/digits --input digits.npz --analog chip.toml -o ranges.toml
  emu calibrate out/digits --input digits.npz --method percentile --percentile 99.95 -o ranges.toml
  emu launch out/digits --input digits.npz --labels labels --analog chip.toml --analog ranges.toml""",
)
@click.argument("out", type=PROGRAMS)
@options_of(CalibrateOptions)
@answers()
def command(out: Path, **given: Any) -> Answer:
    """Run the compiled network in the directory OUT on data, with ideal converters, and choose their ranges.

    Cells hold what they should: no errors, no faults, no drift; wires are as they are. For each array group and slice
    of its weights it tells which currents came, how many bits lose nothing whatever the data is, how many lose nothing
    of these data, and the range of the method: all that came (min-max), all but a percentage (percentile), or with the
    least mean square error for the bits that the chip has (mse). Where bits suffice for every current, a step is the
    smallest difference of currents, whatever the method is. The file that -o writes is one for --analog.
    """
    from launch.analog.calibrating import calibration_of

    return calibration_of(out, CalibrateOptions(**given), quiet=json_wanted())
