"""A summary for people: what it is, what each node and core takes, and totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from emu.image.manifest import ReadOnlySpec, TensorSpec
from emu.wording import counted
from launch.images.chips import PAIRS, chip_line, chip_values
from launch.info.summary import Summary, core_values
from launch.text.answer import Part, Table
from launch.text.columns import Column, listed
from launch.text.units import size_text

LEGEND = (
    "crossbars: physical ones; instr.: instructions of the programs, the body of a loop counted once; memory: bytes of "
    "local memory that a node writes, and that a core uses; messages, bytes: sent per sample",
    "x hops: every message's bytes times the links of the mesh that it crosses",
)
MOST = 3  # instructions that are named for each core
_CORE, _NODES = Column("core", "core", "core"), Column("nodes", "nodes", "names")
_TAKES = (
    Column("memory", "memory", "bytes"),
    Column("instructions", "instr.", "count"),
    Column("messages", "messages", "count"),
    Column("message_bytes", "bytes", "bytes"),
)
CORES = (_CORE, Column("crossbars", "crossbars", "count"), Column("weight_bytes", "weights", "bytes"), *_TAKES, _NODES)
NODES = (Column("node", "node"), Column("cores", "cores", "cores"), Column("crossbars", "crossbars", "count"), *_TAKES)
WORK = (  # what instructions of cores do
    _CORE,
    Column("rows", "written", "count"),
    Column("executed", "unrolled", "count"),
    Column("local_read", "read", "count"),
    Column("local_written", "written", "count"),
    Column("loaded", "loaded", "count"),
    Column("stored", "stored", "count"),
    Column("message_bytes", "sent", "count"),
    Column("messages", "messages", "count"),
    Column("macs", "MACs", "count"),
    Column("crossbars", "crossbars", "count"),
    Column("write_events", "writes to crossbars", "count", if_any=True),
    Column("written_rows", "rows written", "count", if_any=True),
    Column("written_cells", "cells written", "count", if_any=True),
    Column("cell_share", "cells", "share"),
    Column("most", "most"),
)


def work_table(summary: Summary) -> Table:
    """What the instructions of every core do."""
    cores = map(core_values, summary.cores)
    rows = [{**core, "rows": sum(core["written"].values()), "most": _most(core["unrolled"])} for core in cores]
    return listed(f"cores of {summary.path}", WORK, rows)


def head_lines(summary: Summary) -> list[str]:
    """The facts of the manifest as lines."""
    manifest = summary.manifest
    states = "; ".join(f"{state.input} from {state.output}" for state in manifest.states)
    golden = manifest.golden_source if manifest.golden else ""
    return [
        f"model {manifest.model.name or '(written by hand)'}, architecture {manifest.arch.name}",
        f"inputs {_tensors(manifest.inputs)}",
        f"outputs {_tensors(manifest.outputs)}",
        *([f"read-only {_tensors(manifest.read_only)}"] if manifest.read_only else []),
        *([f"states {states}"] if states else []),
        f"default input {manifest.default_input or 'none'}, golden {golden or 'none'}",
        *([", ".join(f"{key} {value}" for key, value in manifest.options.items())] if manifest.options else []),
        *(f"warning: {warning}" for warning in manifest.warnings),
    ]


def total_line(summary: Summary) -> str:
    """Totals and utilisation in one line."""
    census, arch = summary.census, summary.census.arch
    fixed = sum(spec.nbytes for spec in summary.manifest.read_only)
    shared = f"{size_text(fixed)} read-only global memory; " if fixed else ""
    return (
        f"{len(census.cores)} of {counted(arch.all_cores, 'core')} hold a program;"
        f" {counted(census.sum('crossbars'), 'crossbar')} ({census.crossbar_share:.1%} of what these cores have,"
        f" {census.cell_share:.1%} of their cells in use); at most {size_text(census.memory)} of"
        f" {size_text(arch.core.local_memory)} local memory; {shared}per sample {size_text(summary.global_bytes)}"
        f" global memory, {counted(census.total.messages, 'message')}, {size_text(census.byte_hops)} x hops"
    )


def image_parts(summary: Summary, by_core: bool) -> Iterator[Part]:
    """The whole text of one image."""
    yield from head_lines(summary)
    if summary.wear:
        yield summary.wear.line()
    yield listed("nodes", NODES, summary.node_values())
    if by_core:
        yield listed("cores", CORES, map(core_values, summary.cores))
    yield from LEGEND
    yield total_line(summary)
    if (chips := chip_values(summary.census)) is not None:
        yield listed("between chips", PAIRS, chips["pairs"])
        yield chip_line(chips)


def _tensors(specs: Sequence[TensorSpec] | Sequence[ReadOnlySpec]) -> str:
    return "; ".join(f"{spec.name} {spec.dtype.name} {list(spec.shape)}" for spec in specs) or "none"


def _most(counts: Mapping[str, int]) -> str:
    """The instructions that run most often, each with its share."""
    whole = sum(counts.values())
    return ", ".join(f"{name} {count / whole:.0%}" for name, count in list(counts.items())[:MOST])
