"""`emu info`: what a compiled directory holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from emu.wording import counted
from launch.cli.answering import answers
from launch.cli.options import IMAGE
from launch.cli.weights_map import found_of, found_parts, map_options
from launch.text.answer import Answer, Part, Table

if TYPE_CHECKING:
    from launch.images.summary import Summary


LEGEND = (
    "crossbars: physical ones; instr.: instructions of the programs, the body of a loop counted once; memory: bytes of "
    "local memory that a node writes, and that a core uses; messages, bytes: sent per sample",
    "x hops: every message's bytes times the links of the mesh that it crosses",
)


@click.command(
    short_help="Show what each ONNX node takes: cores, memory, messages.",
    epilog="""\b
Examples:
  emu info out/lenet --per-core
  emu info out/lenet --node conv1
  emu info out/lenet --node conv2 --element 4,1,4,4
  emu info out/lenet --core 3 --crossbar 3:0
  emu info out/lenet --crossbar 3:0 --cell 17,4""",
)
@click.argument("out", type=IMAGE)
@click.option("--per-core", "by_core", is_flag=True, help="Also list every core.")
@map_options
@answers()
def command(out: Path, by_core: bool, **asked: Any) -> Answer:
    """Show which cores, crossbars, memory and messages each ONNX node of the directory OUT takes.

    With --node, --core or --crossbar (each may be repeated) show instead where weights stand: which rows and columns
    of which array group hold which indices of which tensor of the network.
    """
    if asked["cell"] is not None and not asked["crossbars"]:
        raise click.UsageError("--cell is one of a crossbar: name that by --crossbar C:G, too")
    if asked["element"] is not None and not asked["nodes"]:
        raise click.UsageError("--element is one of the weights of a node: name that by --node NAME, too")
    if any(asked.values()):
        if by_core:
            raise click.UsageError("--per-core lists all cores: leave it out, or --node, --core and --crossbar")
        return _weights(out, asked)
    from emu.image.reader import open_image
    from emu.image.segments import core_images
    from launch.images.host_share import host_share
    from launch.images.summary import summarise

    image = open_image(out)
    host = host_share(image.manifest.segments).to_dict() if image.manifest.segments else None
    parts = core_images(image, verify=True)
    summaries = {
        part.path.name: summarise(part.manifest, {core: part.program(core) for core in part.cores}) for part in parts
    }
    told = {name: summary.to_dict() for name, summary in summaries.items()}
    values = told[image.path.name] if host is None else {"host": host, "segments": told}
    return Answer(values, _parts(summaries, host, by_core))


def _parts(summaries: Mapping[str, Summary], host: Any, by_core: bool) -> Iterator[Part]:
    from launch.images.host_share import host_lines

    for name, summary in summaries.items():
        if host is not None:
            yield f"segment {name}"
        yield from head(summary)
        yield from _tables(summary, by_core)
        yield from LEGEND
        yield total(summary)
    if host is not None:
        yield from host_lines(host)


def _weights(out: Path, asked: dict[str, Any]) -> Answer:
    from emu.image.reader import open_image
    from emu.image.segments import core_images
    from launch.images.weights_map import WeightsMap

    image = open_image(out)
    parts = core_images(image, verify=True)
    maps = [WeightsMap(part, part.path.name if image.manifest.segments else "") for part in parts]
    found = found_of(maps, image.manifest, asked)
    return Answer({"weights": found}, found_parts(found, image.arch.crossbar.cell_bits))


def head(summary: Summary) -> list[str]:
    """What it is, in lines."""
    return [
        f"model {summary.model or '(written by hand)'}, architecture {summary.arch}",
        f"inputs {'; '.join(map(str, summary.inputs)) or 'none'}",
        f"outputs {'; '.join(map(str, summary.outputs)) or 'none'}",
        *([f"read-only {'; '.join(map(str, summary.read_only))}"] if summary.read_only else []),
        *([f"states {'; '.join(f'{s.input} from {s.output}' for s in summary.states)}"] if summary.states else []),
        f"default input {summary.default_input or 'none'}, golden {summary.golden or 'none'}",
        *([", ".join(f"{key} {value}" for key, value in summary.options.items())] if summary.options else []),
        *(f"warning: {warning}" for warning in summary.warnings),
    ]


def _tables(summary: Summary, by_core: bool) -> Iterator[Table]:
    from launch.images.summary import ranges

    yield Table(
        "nodes",
        ("node", "cores", "crossbars", "memory", "instr.", "messages", "bytes"),
        [
            (n.node, ranges(n.cores), n.crossbars, size(n.memory), n.instructions, n.messages, size(n.message_bytes))
            for n in summary.nodes
        ],
        "llrrrrr",
    )
    if by_core:
        yield Table(
            "cores",
            ("core", "crossbars", "weights", "memory", "instr.", "messages", "bytes", "nodes"),
            [
                (
                    c.core,
                    c.crossbars,
                    size(c.weight_bytes),
                    size(c.memory),
                    c.instructions,
                    c.messages,
                    size(c.message_bytes),
                    ", ".join(c.nodes),
                )
                for c in summary.cores
            ],
            "rrrrrrr",
        )


def total(summary: Summary) -> str:
    """Totals and utilisation in one line."""
    cores, memory = len(summary.cores), max((core.memory for core in summary.cores), default=0)
    messages = sum(core.messages for core in summary.cores)
    fixed = sum(tensor.bytes for tensor in summary.read_only)
    shared = f"{size(fixed)} read-only global memory; " if fixed else ""
    return (
        f"{cores} of {counted(summary.arch_cores, 'core')} hold a program; {counted(summary.crossbars, 'crossbar')} "
        f"({summary.crossbar_share:.1%} of what these cores have, {summary.cell_share:.1%} of their cells in use); "
        f"at most {size(memory)} of {size(summary.core_memory)} local memory; {shared}per sample "
        f"{size(summary.global_bytes)} global memory, {counted(messages, 'message')}, {size(summary.byte_hops)} x hops"
    )


def size(count: int) -> str:
    """Bytes for people."""
    value, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    return f"{count} B" if units[0] == "B" else f"{value:.1f} {units[0]}"
