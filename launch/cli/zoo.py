"""`emu zoo`: write a built-in network with seeded weights as an ONNX file."""

from __future__ import annotations

from pathlib import Path

import click

from launch.cli.answering import answers
from launch.cli.choices import QUANTISED
from launch.cli.completion import networks
from launch.cli.listing import listed_alone
from launch.cli.options import NATURAL, output_option
from launch.cli.values import NEW_FILE
from launch.text.answer import Answer, Table


@click.command(
    short_help="Write a built-in network as an ONNX file.",
    epilog="\b\nExamples:\n  emu zoo --list\n  emu zoo resnet18 -o resnet18.onnx\n  emu zoo kernels/mm -o mm.onnx\n"
    "  emu zoo lenet5 --quantize qoperator -o lenet8.onnx",
)
@click.argument("name", required=False, shell_complete=networks)
@output_option(NEW_FILE, "The ONNX file to write (default: NAME.onnx).")
@click.option("--seed", type=NATURAL, default=0, show_default=True, metavar="N", help="Seed of the weights.")
@click.option(
    "--quantize",
    type=QUANTISED,
    help="Weights and activations of int8, per channel, by onnxruntime's quantiser: as operators on integers, or as "
    "pairs of DequantizeLinear and QuantizeLinear. Scales fit random inputs of the seed.",
)
@click.option("--list", "listing", is_flag=True, help="List the networks and the kernels.")
@answers()
def command(name: str | None, output: Path | None, seed: int, quantize: str | None, listing: bool) -> Answer:
    """Write the standard network NAME, with random weights and without any download, as an ONNX file.

    A NAME such as kernels/mm is that of a small kernel: a product, a contraction or a convolution.
    """
    if listing:
        listed_alone("--list", "all networks and writes none")
    if name is None and not listing:
        raise click.UsageError("name a network, or use --list")
    from compiler.zoo import build
    from emu.output.whole_file import write_whole

    if name is None:
        return _list()
    model = build(name, seed)
    if quantize is not None:
        from compiler.zoo.quantised import quantised

        model = quantised(model, quantize, seed)
    content = model.SerializeToString(deterministic=True)
    path = output or Path(f"{name.rpartition('/')[2]}.onnx")
    write_whole(path, content, streams=True)
    form = f", quantised ({quantize})" if quantize else ""
    return Answer(
        {"network": name, "file": str(path), "bytes": len(content), "seed": seed, "quantize": quantize},
        [f"{path}: {name}{form}, {len(content) / 1e6:.1f} MB, seed {seed}"],
    )


def _list() -> Answer:
    """All networks with their sizes, and the names of the kernels."""
    from compiler.zoo import KERNELS, NETWORKS
    from compiler.zoo.kernels import BUILDERS

    kernels = [f"{KERNELS}{name}" for name in BUILDERS]
    sizes = [
        {"network": name, "inputs": row.inputs, "weights": round(row.weights * 1e6), "macs": round(row.macs * 1e6)}
        for name, row in NETWORKS.items()
    ]
    rows = [(name, row.inputs, f"{row.weights:g}", f"{row.macs:g}") for name, row in NETWORKS.items()]
    return Answer(
        {"networks": list(NETWORKS), "sizes": sizes, "kernels": kernels},
        [
            Table("", ("network", "input", "million weights", "million MACs"), rows, "llrr"),
            Table("", ("kernel",), [(name,) for name in kernels]),
        ],
    )
