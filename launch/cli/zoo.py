"""`emu zoo`: write a built-in network with seeded weights as an ONNX file."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.options import NEW_FILE


@click.command(epilog="\b\nExamples:\n  emu zoo --list\n  emu zoo resnet18 -o resnet18.onnx")
@click.argument("name", required=False)
@click.option("-o", "--output", type=NEW_FILE, help="The ONNX file to write (default: NAME.onnx).")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N", help="Seed of the weights."
)
@click.option("--list", "listing", is_flag=True, help="List the networks.")
def command(name: str | None, output: Path | None, seed: int, listing: bool) -> None:
    """Write the standard network NAME, with random weights and without any download, as an ONNX file."""
    from compiler.zoo import NAMES, build
    from emu.output.whole_file import write_whole

    if listing:
        click.echo("\n".join(NAMES))
        return
    if name is None:
        raise click.UsageError("name a network, or use --list")
    content = build(name, seed).SerializeToString(deterministic=True)
    path = output or Path(f"{name}.onnx")
    write_whole(path, content, streams=True)
    click.echo(f"{path}: {name}, {len(content) / 1e6:.1f} MB, seed {seed}")
