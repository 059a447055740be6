"""`emu validate`: compile, run and compare in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.compile import golden_options
from launch.cli.launch import arguments_of, show
from launch.cli.lines import say
from launch.cli.options import (
    FILE,
    deadline_option,
    json_option,
    mapping_options,
    refuse_idle_options,
    running_options,
    tell_on_stderr,
)
from launch.cli.suite_options import is_suite, run_suite, suite_options


@click.command(
    short_help="Compile, run and compare a network in one go.",
    epilog="""\b
Examples:
  emu validate lenet.onnx --cores 16 --samples 4
  emu validate lenet.onnx digits.onnx --cores 16 --jobs 2 --junit results.xml
  emu validate --suite suite.toml --deadline 300""",
)
@click.argument("models", metavar="MODEL...", nargs=-1, type=FILE)
@mapping_options
@golden_options
@running_options
@deadline_option
@suite_options
@json_option
@click.pass_context
def command(ctx: click.Context, models: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Compile the network MODEL, run it on seeded inputs, and compare its outputs with the golden ones.

    Nothing is kept. Exit codes are those of `emu launch`. Of several networks, or the cases of --suite, each runs as a
    command of its own, all run whatever comes of the others, and the exit code is the highest of any. Options on the
    command line hold for all cases and win over those of the suite file.
    """
    if is_suite(ctx) or options["deadline"] is not None:  # which ends the process of a case
        ctx.exit(run_suite(ctx))
    (model,) = models
    from launch.processes.options import RunOptions
    from launch.runs.validation import compile_and_run

    refuse_idle_options({key: options[key] for key in ("sequential", "transport", "bind", "log_dir")})
    mapping = {key: options.pop(key) for key in ("arch", "cores", "packing", "placement", "granularity", "shapes")}
    golden = {key: options.pop(key) for key in ("golden", "seed", "samples")}
    verdict = {key: options.pop(key) for key in ("tolerance", "allow_nan")}
    compiled, report = compile_and_run(
        model,
        RunOptions.take(options),
        **verdict,
        recorded=as_json,
        command=arguments_of(ctx),
        quiet=as_json,
        notice=tell_on_stderr,
        **mapping,
        **golden,
    )
    for warning in compiled.warnings:
        say(f"warning: {warning}", err=True)
    if not as_json:
        say(compiled.line().replace(f" -> {compiled.result.out}", ""))
    show(report, as_json)
    ctx.exit(report.exit_code)
