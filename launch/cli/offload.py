"""`emu offload`: a host program as MLIR text, with its contractions on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers
from launch.cli.choices import LEVEL, RECIPE
from launch.cli.input_option import input_option
from launch.cli.option_fields import options_of
from launch.cli.options import NATURAL, NEW_FILE, arch_option, output_option, tell_on_stderr
from launch.cli.values import FILE
from launch.devices.options import DeviceOptions
from launch.text.answer import Answer, Verbatim


@click.command(
    short_help="Run a host program with its contractions on a device.",
    epilog="""\b
Examples:
  emu offload model.mlir --arch occ --cores 4
  emu offload model.mlir --input x.npz -o outputs.npz
  emu offload model.mlir --until cim > calls.mlir
  emu offload calls.mlir
  emu offload model.mlir -p 'linalg-generalize,detect-contractions,ttgt,tile{sizes=64,64,64},linalg-to-cim'""",
)
@click.argument("model", type=FILE)
@input_option
@click.option("--seed", type=NATURAL, metavar="N", default=0, show_default=True, help="Of inputs that are not given.")
@click.option(
    "--recipe",
    type=RECIPE,
    default="occ",
    show_default=True,
    help="Passes of a compiler of the field; a text that calls a device already is run as it stands.",
)
@click.option("-p", "--passes", metavar="PASSES", help="Passes to run instead, as tile{sizes=64,64,64},linalg-to-cim.")
@click.option("--until", "level", type=LEVEL, help="Print the text of this level, and run nothing.")
@arch_option
@options_of(DeviceOptions)
@output_option(NEW_FILE, "File for the outputs, .npz; with --until for the text.")
@answers()
def command(
    model: Path, input_file: tuple[Any, ...], seed: int, recipe: str, passes: str | None, level: str | None,
    arch: str, output: Path | None, **options: Any,
) -> Answer:  # fmt: skip
    """Interpret the host program MODEL (MLIR text: func, linalg on tensors) with its contractions on a device.

    Its outputs are compared with those of an interpretation without a device: integers exactly, floats closely. Told
    are the calls, what was written, multiplied and moved, and what that takes on the chip.

    Exit code: 0: equal; 1: an output differs; 2: bad usage or input; 3, 5, 6: the device failed, as of emu device.
    """
    from launch.offload.offloading import Request, lower, offload

    request = Request(model, arch, DeviceOptions(**options), recipe, passes, input_file, seed)
    if level is None:
        from launch.offload.answer import offload_answer

        return offload_answer(offload(request, output, tell_on_stderr))
    from emu.output.whole_file import write_whole

    lowered, run = lower(request, level)
    text = lowered.text()
    if output is not None:
        write_whole(output, text.encode(), streams=True)
    values = {"level": level, "passes": list(run), "file": output and str(output), "ir": text}
    return Answer(values, [] if output is not None else [Verbatim(text)])
