"""`emu opt`: passes over IR text, from a file or stdin to a file or stdout."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.answering import answers
from launch.cli.compile import listing_option, passes_answer, weights_option
from launch.cli.option_fields import options_of
from launch.cli.options import arch_option, output_option
from launch.cli.values import FILE, NEW_FILE
from launch.text.answer import Answer, Verbatim, warnings


@click.command(
    short_help="Run passes over IR text.",
    epilog="""\b
Examples:
  emu compile lenet.onnx -o out/lenet --dump ir
  emu opt ir/00-import.mlir -p remove-identity,normalize-gemm
  emu opt ir/00-import.mlir -p remove-identity | emu opt -p mypackage.mymodule:MyPass --weights ir/weights.npz""",
)
@click.argument("text", type=FILE, required=False)
@click.option("-p", "--pipeline", metavar="PASSES", default="", help="Passes to run: names, or module:Class of yours.")
@click.option(
    "-t", "--target", type=click.Choice(["mlir", "generic", "asm"]), default="mlir",
    help="Form of what is printed: IR as people write it, in MLIR's generic form, or programs.",
)  # fmt: skip
@output_option(NEW_FILE, "File to write instead of stdout.")
@arch_option
@options_of(CompileOptions, "cores", "packing", "placement", "granularity")
@weights_option
@click.option("--save-weights", type=NEW_FILE, help="Write the weights that the result names, as .npz, to this file.")
@click.option("--print-between-passes", "between", is_flag=True, help="Print the IR after each pass on stderr.")
@listing_option
@answers()
def command(
    text: Path | None, pipeline: str, output: Path | None, weights: Path | None, save_weights: Path | None,
    between: bool, target: str, listing: bool, **mapping: Any,
) -> Answer:  # fmt: skip
    """Run passes over the IR in the file TEXT (default: stdin), verify it after each, and print it."""
    if listing:
        return passes_answer()
    from compiler.basis.options import checked_for
    from compiler.opt import OptDriver
    from compiler.session.context import make_context
    from compiler.text import print_module
    from emu.arch.read import load_arch
    from emu.asm.set_printer import print_program
    from emu.output.whole_file import write_whole

    arch, steps = load_arch(mapping.pop("arch")), dict[str, float]()

    def tell(name: str, module: Any, seconds: float) -> None:
        steps[name] = round(steps.get(name, 0.0) + seconds, 4)
        if between:
            click.echo(f"// after {name}\n{print_module(module)}", err=True, nl=False)

    context = make_context(arch, checked_for(arch, CompileOptions(**mapping)))
    programs = print_program if target == "asm" else None
    driver = OptDriver(
        context, pipeline, text or sys.stdin.buffer, weights, tell, programs, generic=target == "generic"
    )
    driver.run()
    ir, made = driver.output.getvalue(), driver.made()
    asides = warnings(context.warnings)
    if save_weights is not None:
        driver.save_weights(save_weights)
    elif made:
        asides.append(f"note: the weights {', '.join(made)} were made here: --save-weights FILE keeps them")
    if output is not None:
        write_whole(output, ir.encode(), streams=True)
    file = str(output) if output is not None else None
    values = {"file": file, "steps": steps, "made": made, "warnings": context.warnings, "ir": ir}
    return Answer(values, [] if output is not None else [Verbatim(ir)], asides)
