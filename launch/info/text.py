"""A summary for people: what it is, what each node and core takes, and totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from emu.census.census import CoreCensus
from emu.census.counts import summed
from emu.census.instructions import by_count
from emu.census.nodes import NO_NODE
from emu.image.manifest import ReadOnlySpec, TensorSpec
from emu.wording import counted
from launch.info.summary import Summary
from launch.text.answer import Part, Table
from launch.text.units import ranges, size_text

LEGEND = (
    "crossbars: physical ones; instr.: instructions of the programs, the body of a loop counted once; memory: bytes of "
    "local memory that a node writes, and that a core uses; messages, bytes: sent per sample",
    "x hops: every message's bytes times the links of the mesh that it crosses",
)
MOST = 3  # instructions that are named for each core
Column = tuple[str, str, Callable[[CoreCensus], object]]  # of a table of cores: title, "r" or "l", cell

CORES: Sequence[Column] = (
    ("core", "r", lambda core: core.core),
    ("crossbars", "r", lambda core: core.crossbars),
    ("weights", "r", lambda core: size_text(core.weight_bytes)),
    ("memory", "r", lambda core: size_text(core.memory)),
    ("instr.", "r", lambda core: core.instructions),
    ("messages", "r", lambda core: core.counts.messages),
    ("bytes", "r", lambda core: size_text(core.counts.sent)),
    ("nodes", "l", lambda core: ", ".join(share.node for share in core.shares if share.node != NO_NODE)),
)
_WRITES: Sequence[Column] = (
    ("writes to crossbars", "r", lambda core: f"{core.counts.write_events:,}"),
    ("rows written", "r", lambda core: f"{core.counts.written_rows:,}"),
    ("cells written", "r", lambda core: f"{core.counts.written_cells:,}"),
)


def work_columns(summary: Summary) -> Sequence[Column]:
    """Of a table of cores: what their instructions do; of writes to crossbars, if there are any."""
    return (
        ("core", "r", lambda core: core.core),
        ("written", "r", lambda core: f"{core.counts.written.total():,}"),
        ("unrolled", "r", lambda core: f"{core.counts.unrolled.total():,}"),
        ("read", "r", lambda core: f"{core.counts.local_read:,}"),
        ("written", "r", lambda core: f"{core.counts.local_written:,}"),
        ("loaded", "r", lambda core: f"{core.counts.loaded:,}"),
        ("stored", "r", lambda core: f"{core.counts.stored:,}"),
        ("sent", "r", lambda core: f"{core.counts.sent:,}"),
        ("messages", "r", lambda core: f"{core.counts.messages:,}"),
        ("MACs", "r", lambda core: f"{core.counts.macs:,}"),
        ("crossbars", "r", lambda core: f"{core.crossbars:,}"),
        *(_WRITES if summary.census.total.write_events else ()),
        ("cells", "r", lambda core: f"{core.weights / core.cells:.0%}" if core.cells else ""),
        ("most", "l", lambda core: ", ".join(_most(core))),
    )


def core_table(summary: Summary, columns: Sequence[Column], title: str = "cores") -> Table:
    """A table with a row for each core."""
    rows = [[cell(core) for _, _, cell in columns] for core in summary.cores]
    return Table(title, [name for name, _, _ in columns], rows, "".join(side for _, side, _ in columns))


def node_table(summary: Summary) -> Table:
    """A table with a row for each node."""
    return Table(
        "nodes",
        ("node", "cores", "crossbars", "memory", "instr.", "messages", "bytes"),
        [
            (
                node,
                ranges(share.core for share in shares),
                summary.crossbars_of(shares),
                size_text(sum(share.memory for share in shares)),
                counts.written.total(),
                counts.messages,
                size_text(counts.sent),
            )
            for node, shares in summary.nodes.items()
            for counts in (summed(share.counts for share in shares),)
        ],
        "llrrrrr",
    )


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
        f"{len(census.cores)} of {counted(arch.cores, 'core')} hold a program;"
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
    yield node_table(summary)
    if by_core:
        yield core_table(summary, CORES)
    yield from LEGEND
    yield total_line(summary)


def _tensors(specs: Sequence[TensorSpec] | Sequence[ReadOnlySpec]) -> str:
    return "; ".join(f"{spec.name} {spec.dtype.name} {list(spec.shape)}" for spec in specs) or "none"


def _most(core: CoreCensus) -> Iterator[str]:
    """The instructions that run most often, each with its share."""
    counts = core.counts.unrolled
    for name, count in list(by_count(counts).items())[:MOST]:
        yield f"{name} {count / counts.total():.0%}"
