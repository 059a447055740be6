"""`emu compile`: a network in, a directory with one program per core out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from compiler.basis.options import CompileOptions
from launch.cli.answering import answers, json_wanted
from launch.cli.choices import EMITTED, GOLDEN, STAGE
from launch.cli.evaluators import refuse_evaluator
from launch.cli.given import is_typed, listed_alone
from launch.cli.group import INTERRUPTED
from launch.cli.optimise_options import by_hand, optimise_options, taken
from launch.cli.option_fields import options_of
from launch.cli.options import (
    COUNT,
    LATER_FILE,
    NATURAL,
    apply,
    arch_option,
    as_option,
    output_option,
)
from launch.cli.values import FILE, NEW_FOLDER
from launch.runs.validate_options import ValidateOptions
from launch.text.answer import Answer, Part, Table, Verbatim, warnings

if TYPE_CHECKING:
    from launch.images.mapping import MappingReport
    from launch.levels.finding import Levels
    from launch.optimising.report import Optimised

_OF_FLOWS = ("model", "output", "as_json", "emit", "arch", "cores", "shapes", "golden", "seed", "samples")
listing_option = click.option(
    "--list-passes", "listing", is_flag=True, help="List the passes in the order in which they run."
)
weights_option = click.option(
    "--weights", type=LATER_FILE, help="Weights of the text, if they are not in weights.npz beside it."
)
golden_options = apply(
    click.option(
        "--golden",
        type=GOLDEN,
        default="onnxruntime",
        show_default=True,
        help="Evaluator of the golden outputs stored with seeded inputs; reference (numpy) is onnx's own.",
    ),
    click.option(
        "--seed",
        type=NATURAL,
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the stored inputs, and of --optimise.",
    ),
    click.option("--samples", type=COUNT, default=1, show_default=True, metavar="N", help="Number of stored inputs."),
)


@click.command(
    short_help="Compile an ONNX network to one program per core.",
    epilog="""\b
Examples:
  emu compile lenet.onnx -o out/lenet --report
  emu compile lenet.onnx --until spat > lenet.spat.mlir
  emu compile lenet.onnx -o out/lenet --verify-levels
  emu compile cell.onnx -o out/cell --state h0=hn,c0=cn
  emu compile gpt2.onnx -o out/gpt2 --shape input_ids=1,1 --max-length 128
  emu compile detector.onnx -o out/detector --host-fallback
  emu compile lenet.onnx -o out/flow --emit mop --arch puma
  emu compile resnet18.onnx -o out/resnet18 --arch chip.toml --cores 128 --shape input=1,3,224,224
  emu compile resnet18.onnx -o out/resnet18 --arch isaac --cores 168 --optimise latency --budget 60""",
)
@click.argument("model", type=FILE, required=False)
@output_option(NEW_FOLDER, "Directory to write; an older image there is replaced.")
@arch_option
@options_of(CompileOptions)
@golden_options
@click.option("--until", type=STAGE, help="Stop after this stage and print its IR on stdout, write no programs.")
@click.option(
    "--from", "start", type=FILE, help="Continue from this (edited) text of a stage; MODEL gives golden outputs."
)
@weights_option
@click.option("--dump", type=NEW_FOLDER, help="Write the IR after each pass that changes it, and its weights, here.")
@click.option("-p", "--pipeline", metavar="PASSES", help="Passes to run instead: names, or module:Class of yours.")
@click.option(
    "--emit",
    type=EMITTED,
    default="programs",
    show_default=True,
    help="Write one program per core, or one meta-operator flow for the chip's computing mode (emu check, emu launch).",
)
@optimise_options
@listing_option
@options_of(ValidateOptions, "verify_levels")
@click.option("--no-check", is_flag=True, help="Do not check the programs that were written.")
@click.option("--report", "mapping", is_flag=True, help="Show where each ONNX node runs, and its resources.")
@answers()
@click.pass_context
def command(
    ctx: click.Context,
    model: Path | None,
    output: Path | None,
    until: str | None,
    listing: bool,
    mapping: bool,
    emit: str,
    **options: Any,
) -> Answer:
    """Compile MODEL (ONNX, MLIR, .pt2) or the text of --from to one program per core, in the directory of -o."""
    if listing:
        return passes_answer()
    if emit == "mop":
        return write_flow(ctx, model, output)
    if model is None and options["start"] is None:
        raise click.UsageError("give the network as an ONNX file, or its text by --from: MODEL is missing")
    if options["weights"] is not None and options["start"] is None:
        raise click.UsageError("--weights are those of a text: give that by --from, too")
    if output is not None and until is not None:
        raise click.UsageError("--until prints the IR and writes no programs: leave -o or --until out")
    if output is None and until is None:
        raise click.UsageError("give -o DIRECTORY to write programs, or --until STAGE to see the IR")
    if mapping and until is not None:
        raise click.UsageError("--report is about programs, and --until writes none: leave one of them out")
    if options["host_fallback"] and (until is not None or options["start"] is not None or options["dump"] is not None):
        raise click.UsageError(
            "--host-fallback cuts a model into several programs: leave --until, --from and --dump out"
        )
    if model is not None:
        refuse_evaluator(ctx, model)
    if model is None and not is_typed(ctx, "golden"):
        options["golden"] = "none"
    from launch.images.compilation import compile_image, mapping_of, module_text

    verify = options.pop("verify_levels")
    if verify and options["host_fallback"]:
        raise click.UsageError("--verify-levels executes the levels of one program: leave --host-fallback out")
    found = taken(ctx, model, output, options)
    report = compile_image(model, output, quiet=json_wanted(), until=until, **options)
    levels = _verified(model, output, until, options) if verify else None
    mapped = mapping_of(report) if mapping else None
    asides = warnings(report.warnings)
    if report.result.unchanged:
        asides.append(f"dump: no file after {', '.join(report.result.unchanged)}, which changed nothing")
    asides += warnings(mapped.warnings) if mapped and not json_wanted() else []
    search = by_hand(ctx, model, found) if found else ""
    values = report.to_dict()
    if mapped:
        values |= {"report": mapped.to_dict()}
    if until:
        values |= {"ir": module_text(report)}
    if found:
        values |= {"optimise": found.to_dict() | {"command": search}}
    if levels:
        values |= {"levels": levels.to_dict()}
    if until:
        asides += [levels.line()] if levels and not json_wanted() else []
        parts: list[Part] = [Verbatim(values["ir"])]
    else:
        parts = [
            *(_mapped(mapped) if mapped else ()),
            *report.as_compiled().host_lines(),
            *([*found.lines(), f"the same by hand: {search}"] if found else ()),
            report.line(),
            *report.as_compiled().chip_lines(),
            *(report.as_compiled().idle_lines() if not found else ()),  # a search has looked at all of these options
            *([levels.line()] if levels else ()),
        ]
    return Answer(values, parts, asides, exit_code=_exit_code(found, levels))


def _mapped(report: MappingReport) -> Iterable[Part]:
    from launch.cli.mapping import mapping_parts

    return mapping_parts(report)


def _exit_code(found: Optimised | None, levels: Levels | None) -> int:
    if found and found.interrupted:
        return INTERRUPTED
    return int(levels is not None and not levels.passed)


def _verified(model: Path | None, output: Path | None, until: str | None, options: dict[str, Any]) -> Levels:
    """What executing every level of the compilation says."""
    from launch.levels.compiled import verify_compiled

    idle = ("golden", "samples", "no_check", "dump")
    given = {name: value for name, value in options.items() if name not in idle}
    return verify_compiled(model, output, until=until, quiet=json_wanted(), **given)


def write_flow(ctx: click.Context, model: Path | None, output: Path | None) -> Answer:
    """The flow of a network; UsageError for an option that only programs have."""
    given = [name for name in ctx.params if is_typed(ctx, name)]
    if idle := next((name for name in given if name not in _OF_FLOWS), ""):
        raise click.UsageError(f"{as_option(idle)} has no effect with --emit mop: leave one of them out")
    if model is None or output is None:
        raise click.UsageError("--emit mop needs the network as an ONNX file, and -o DIRECTORY to write its flow")
    from launch.mop.compilation import compile_flow

    names = ("arch", "cores", "shapes", "golden", "seed", "samples")
    report = compile_flow(model, output, **{name: ctx.params[name] for name in names})
    return Answer(report.to_dict(), [report.line()], warnings(report.warnings))


def passes_answer() -> Answer:
    """The table of passes; UsageError for anything that it has no use for."""
    listed_alone("--list-passes", "the passes and runs none")
    from compiler.passes import descriptions

    passes = descriptions()
    return Answer(
        {"passes": [{"name": name, "stage": stage, "what": what} for name, stage, what in passes]},
        [Table("", ("pass", "stage", "what it does"), passes)],
    )
