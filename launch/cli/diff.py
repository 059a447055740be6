"""`emu diff`: where two compiled directories part."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.input_option import input_option
from launch.cli.numbers import Finite
from launch.cli.options import COUNT, IMAGE, NATURAL
from launch.text.answer import Answer


@click.command(
    short_help="Where two directories part: instruction and tensor.",
    epilog="""\b
Examples:
  emu diff out/before out/after
  emu diff out/before out/after --input images.npz --tolerance 0
  emu diff out/ours out/theirs --samples 4 --json""",
)
@click.argument("a", metavar="A", type=IMAGE)
@click.argument("b", metavar="B", type=IMAGE)
@input_option
@click.option("--seed", type=NATURAL, default=0, show_default=True, metavar="N", help="Seed of random inputs.")
@click.option("--samples", type=COUNT, default=1, show_default=True, metavar="N", help="Number of random inputs.")
@click.option(
    "--tolerance",
    type=Finite(min=0),
    metavar="X",
    help="Largest difference of floats that counts as equal, relative to the largest magnitude of a tensor (default"
    " 1e-4 for float32, 1e-2 for float16; ten times that of tensors that are no outputs); 0: every bit.",
)
@answers()
def command(
    a: Path,
    b: Path,
    input_file: tuple[Path | tuple[str, str], ...],
    seed: int,
    samples: int,
    tolerance: float | None,
) -> Answer:
    """Compare the directories A and B: their programs, and the values of their tensors on the same inputs.

    Both may be of one compiler, by other options or versions, or of two compilers, as long as they take the same inputs
    and name tensors alike. Both run in this process. Named is the first tensor in the order of the network that
    differs, its first element in both, and the core and instruction that wrote it in each.

    Exit code 0: equal values, or equal programs; 1: values differ, or a run failed; 2: bad usage or input.
    """
    from launch.diff.report import compare_images, read_pair
    from launch.samples.input_values import named_inputs, split_inputs
    from launch.samples.inputs import load_inputs, seeded_inputs

    images = read_pair(a, b)
    specs = images[0].manifest.inputs
    file, values = split_inputs(input_file)
    given = load_inputs(file, specs) if file is not None else named_inputs(values, specs) if values else None
    report = compare_images(*images, seeded_inputs(specs, seed, samples) if given is None else given, tolerance)
    return Answer(report.to_dict(), report.lines(), exit_code=report.exit_code)
