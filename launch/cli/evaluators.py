"""Which evaluators of golden values there are for a file: `--golden` may name no other."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.given import is_typed


def refuse_evaluator(ctx: click.Context, model: Path) -> None:
    """Raise UsageError where --golden names, on the command line, an evaluator that does not read such files."""
    from compiler.front_ends import front_end_of

    asked, own = str(ctx.params.get("golden")), getattr(front_end_of(model), "golden_names", None)
    given = is_typed(ctx, "golden")
    if given and own is not None and asked == "onnxruntime" and asked not in own:
        raise click.UsageError(
            f"--golden {asked} computes ONNX files, and {model.name} is none: leave it out, or use {', '.join(own)}"
        )
