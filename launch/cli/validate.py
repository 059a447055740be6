"""`emu validate`: compile, run and compare in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.compile import golden_options
from launch.cli.launch import arguments_of, show
from launch.cli.lines import say
from launch.cli.options import FILE, json_option, mapping_options, refuse_idle_options, running_options, tell_on_stderr


@click.command(
    short_help="Compile, run and compare a network in one go.",
    epilog="\b\nExample:\n  emu validate lenet.onnx --cores 16 --samples 4",
)
@click.argument("model", type=FILE)
@mapping_options
@golden_options
@running_options
@json_option
@click.pass_context
def command(ctx: click.Context, model: Path, as_json: bool, **options: Any) -> None:
    """Compile the network MODEL, run it on seeded inputs, and compare its outputs with the golden ones.

    Nothing is kept. Exit codes are those of `emu launch`.
    """
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
