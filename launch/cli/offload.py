"""`emu offload`: a host program as MLIR text, with its contractions on a device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.answering import answers
from launch.cli.choices import ELEMENT, LEVEL, RECIPE
from launch.cli.input_option import input_option
from launch.cli.numbers import Finite
from launch.cli.option_fields import options_of
from launch.cli.options import NATURAL, arch_option, output_option, print_to_stderr
from launch.cli.values import FILE, NEW_FILE, NamedShape
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
  emu offload --contraction "C(m,n) +=! A(k,l,m) * B(l,k,n)" --size m=8 --size n=9 --size k=5 --size l=6
  emu offload model.mlir -p 'linalg-generalize,detect-contractions,ttgt,tile{sizes=64,64,64},linalg-to-cim'""",
)
@click.argument("model", type=FILE, required=False)
@click.option(
    "--contraction",
    metavar="TEXT",
    help='A contraction in place of MODEL, as "C(m,n) += A(k,l,m) * B(l,k,n)"; with +=! it begins with zeros.',
)
@click.option(
    "--size",
    "sizes",
    type=NamedShape(),
    metavar="INDEX=N",
    multiple=True,
    help="With --contraction: the size of an index.",
)
@click.option("--type", "kind", type=ELEMENT, help="With --contraction: of elements (default: f32).")
@input_option
@click.option(
    "--shape",
    "shapes",
    type=NamedShape(),
    metavar="NAME=SIZES",
    multiple=True,
    help="Sizes of an input that MODEL leaves open.",
)
@click.option("--seed", type=NATURAL, metavar="N", default=0, show_default=True, help="Of inputs that are not given.")
@click.option(
    "--recipe",
    type=RECIPE,
    default="occ",
    show_default=True,
    help="Passes of a compiler of the field; a text that calls a device already is run as it stands.",
)
@click.option("--script", type=FILE, help="A transform script in place of that of the recipe neuroboard.")
@click.option("-p", "--passes", metavar="PASSES", help="Passes to run instead, as tile{sizes=64,64,64},linalg-to-cim.")
@click.option("--until", "level", type=LEVEL, help="Print the text of this level, and run nothing.")
@click.option(
    "--tolerance",
    type=Finite(min=0, max=1),
    metavar="SHARE",
    help="For back ends whose cells deviate: outputs may do so by this share of their largest element.",
)
@arch_option
@options_of(DeviceOptions)
@output_option(NEW_FILE, "File for the outputs, .npz; with --until for the text.")
@answers()
def command(
    model: Path | None, contraction: str | None, sizes: tuple[tuple[str, tuple[int, ...]], ...], kind: str | None,
    input_file: tuple[Any, ...], shapes: tuple[tuple[str, tuple[int, ...]], ...], seed: int, recipe: str,
    script: Path | None, passes: str | None, level: str | None,
    tolerance: float | None, arch: str, output: Path | None, **options: Any,
) -> Answer:  # fmt: skip
    """Interpret the host program MODEL (MLIR text: func, linalg on tensors) with its contractions on a device.

    Its outputs are compared with those of an interpretation without a device: integers exactly, floats closely, or
    within --tolerance. Told are the calls, what was written, multiplied and moved, and what that takes on the chip.

    Exit code: 0: equal; 1: an output differs; 2: bad usage or input; 3, 5, 6: the device failed, as of emu device.
    """
    if (model is None) == (contraction is None):
        raise click.UsageError("give MODEL or --contraction, one of them")
    if contraction is None and (sizes or kind):
        raise click.UsageError("--size and --type are about --contraction: give that, too")
    from launch.offload.offloading import OffloadRequest, lower, offload

    text = None if contraction is None else _text(contraction, sizes, kind or "f32")
    path = model or Path("the contraction")
    request = OffloadRequest(
        path, arch, DeviceOptions(**options), recipe, passes, input_file, seed, text, shapes, script, tolerance
    )
    if level is None:
        from launch.offload.answer import offload_answer

        return offload_answer(offload(request, output, print_to_stderr))
    from emu.output.whole_file import write_whole

    lowered, run, asides = lower(request, level)
    printed = lowered.text()
    if output is not None:
        write_whole(output, printed.encode(), streams=True)
    values = {"level": level, "passes": list(run), "file": output and str(output), "ir": printed}
    return Answer(values, [] if output is not None else [Verbatim(printed)], asides)


def _text(contraction: str, sizes: tuple[tuple[str, tuple[int, ...]], ...], kind: str) -> str:
    from compiler.offload.comprehension import text_of

    for index, numbers in sizes:
        if len(numbers) != 1:
            raise click.UsageError(f"--size {index}={','.join(map(str, numbers))}: an index has one size")
    names = [index for index, _ in sizes]
    if len(set(names)) != len(names):
        raise click.UsageError("--size is given twice for an index: give each one size")
    return text_of(contraction, {index: size for index, (size,) in sizes}, kind)
