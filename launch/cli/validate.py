"""`emu validate`: compile, run and compare in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from launch.cli.compile import golden_options
from launch.cli.launch import launch_image, show
from launch.cli.options import FILE, json_option, mapping_options, refuse_idle_options, running_options


@click.command(epilog="\b\nExample:\n  emu validate lenet.onnx --cores 16 --samples 4")
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
    from emu.output.scratch import ScratchFolder
    from launch.compilation import compile_image

    refuse_idle_options({key: options[key] for key in ("sequential", "transport", "bind", "log_dir")})
    mapping = {key: options.pop(key) for key in ("arch", "cores", "packing", "placement", "granularity", "shapes")}
    golden = {key: options.pop(key) for key in ("golden", "seed", "samples")}
    with ScratchFolder("validate") as folder:
        out = folder / "image"
        compiled = compile_image(model, out, quiet=as_json, **mapping, **golden)
        report = launch_image(out=out, quiet=as_json, no_check=True, **options)  # the compilation has checked
    for warning in compiled.warnings:
        click.echo(f"warning: {warning}", err=True)
    if not as_json:
        click.echo(compiled.line().replace(f" -> {out}", ""))
    show(report, as_json)
    ctx.exit(report.exit_code)
