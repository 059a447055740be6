"""`emu zoo`: write a built-in network with seeded weights as an ONNX file."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.choices import QUANTISED
from launch.cli.options import NATURAL, NEW_FILE, json_option, output_option, print_json


@click.command(
    short_help="Write a built-in network as an ONNX file.",
    epilog="\b\nExamples:\n  emu zoo --list\n  emu zoo resnet18 -o resnet18.onnx\n  emu zoo lenet5 --quantize qoperator -o lenet8.onnx",
)
@click.argument("name", required=False)
@output_option(NEW_FILE, "The ONNX file to write (default: NAME.onnx).")
@click.option("--seed", type=NATURAL, default=0, show_default=True, metavar="N", help="Seed of the weights.")
@click.option(
    "--quantize",
    type=QUANTISED,
    help="Weights and activations of int8, per channel, by onnxruntime's quantiser: as operators on integers, or as "
    "pairs of DequantizeLinear and QuantizeLinear. Scales fit random inputs of the seed.",
)
@click.option("--list", "listing", is_flag=True, help="List the networks.")
@json_option
def command(
    name: str | None, output: Path | None, seed: int, quantize: str | None, listing: bool, as_json: bool
) -> None:
    """Write the standard network NAME, with random weights and without any download, as an ONNX file."""
    if listing and (name or output):
        raise click.UsageError(f"--list lists all networks and writes none: leave {'NAME' if name else '-o'} out")
    if name is None and not listing:
        raise click.UsageError("name a network, or use --list")
    from compiler.zoo import NAMES, build
    from emu.output.whole_file import write_whole

    if name is None:
        if as_json:
            print_json({"networks": list(NAMES)})
        else:
            click.echo("\n".join(NAMES))
        return
    model = build(name, seed)
    if quantize is not None:
        from compiler.zoo.quantised import quantised

        model = quantised(model, quantize, seed)
    content = model.SerializeToString(deterministic=True)
    path = output or Path(f"{name}.onnx")
    write_whole(path, content, streams=True)
    if as_json:
        print_json({"network": name, "file": str(path), "bytes": len(content), "seed": seed, "quantize": quantize})
    else:
        form = f", quantised ({quantize})" if quantize else ""
        click.echo(f"{path}: {name}{form}, {len(content) / 1e6:.1f} MB, seed {seed}")
