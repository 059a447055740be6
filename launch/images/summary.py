"""What an `out/` directory holds: per core and per ONNX node the crossbars, memory and messages, and utilisation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from emu.arch import Arch
from emu.image.manifest import Manifest, StateSpec
from emu.intervals import merge
from emu.isa.codes import asking
from emu.isa.instruction import Ask
from emu.noc.traffic.topology import topology_of
from emu.noc.traffic.traffic import executions, traffic
from emu.program.group import cell_share, physical_crossbars
from emu.program.program import Program
from launch.images.counts import MULTIPLIES
from launch.images.footprint import Ranges, memory_high_water, written_ranges

NO_NODE = "(no node)"


@dataclass(frozen=True, slots=True)
class CoreSummary:
    """One core: its nodes, physical crossbars, bytes of weights and of local memory, messages sent per sample."""

    core: int
    nodes: tuple[str, ...]
    crossbars: int
    weight_bytes: int
    memory: int
    instructions: int
    messages: int
    message_bytes: int


@dataclass(slots=True)
class NodeSummary:
    """One ONNX node: where it runs, its physical crossbars, bytes of local memory it writes, messages it sends."""

    node: str
    cores: list[int] = field(default_factory=list)
    crossbars: int = 0
    memory: int = 0
    instructions: int = 0
    messages: int = 0
    message_bytes: int = 0


@dataclass(frozen=True, slots=True)
class TensorSummary:
    """A tensor in global memory, such as an input or output of the network."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {list(self.shape)}"


@dataclass(frozen=True, slots=True)
class ReadOnlySummary(TensorSummary):
    """A tensor that exists once per power-on: bytes of global memory, and the file of the image that holds them."""

    bytes: int
    file: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole image; shares are between 0 and 1."""

    model: str
    arch: str
    inputs: tuple[TensorSummary, ...]
    outputs: tuple[TensorSummary, ...]
    read_only: tuple[ReadOnlySummary, ...]
    options: Mapping[str, str]
    cores: tuple[CoreSummary, ...]
    nodes: tuple[NodeSummary, ...]
    crossbars: int
    crossbar_share: float  # of the crossbars of the cores that hold a program
    cell_share: float  # of the cells of the crossbars in use
    arch_cores: int
    core_crossbars: int
    core_memory: int
    global_bytes: int  # per sample
    byte_hops: int  # bytes x links between cores, per sample
    default_input: str
    golden: str
    warnings: tuple[str, ...] = ()  # of the compiler
    states: tuple[StateSpec, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def summarise(manifest: Manifest, programs: Mapping[int, Program]) -> Summary:
    """Summary of validated programs, by core."""
    arch = manifest.arch
    nodes: dict[str, NodeSummary] = {}
    cores = tuple(_core(programs[core], arch, nodes) for core in sorted(programs))
    groups = [group for program in programs.values() for group in program.groups]
    crossbars = sum(core.crossbars for core in cores)
    mesh = topology_of(arch)
    return Summary(
        manifest.model.name,
        arch.name,
        tuple(TensorSummary(spec.name, spec.dtype.name, spec.shape) for spec in manifest.inputs),
        tuple(TensorSummary(spec.name, spec.dtype.name, spec.shape) for spec in manifest.outputs),
        tuple(ReadOnlySummary(s.name, s.dtype.name, s.shape, s.nbytes, s.file) for s in manifest.read_only),
        dict(manifest.options),
        cores,
        tuple(node for node in nodes.values() if node.node != NO_NODE or node.memory or node.messages),
        crossbars,
        crossbars / (len(cores) * arch.core.crossbars) if cores and arch.core.crossbars else 0.0,
        cell_share(groups, arch),
        arch.cores,
        arch.core.crossbars,
        arch.core.local_memory,
        manifest.global_size - sum(spec.nbytes for spec in manifest.read_only),
        sum(size * mesh.hops(*pair) for pair, size in traffic(programs).items()),
        manifest.default_input,
        manifest.golden_source if manifest.golden else "",
        manifest.warnings,
        manifest.states,
    )


def _core(program: Program, arch: Arch, nodes: dict[str, NodeSummary]) -> CoreSummary:
    """Summary of one core; adds what it does for each node to `nodes`."""
    names, written = list[str](), written_ranges(program, program.main)
    for name, rows in rows_by_node(program):
        names.append(name)
        _add(nodes.setdefault(name, NodeSummary(name)), program, arch, rows, written)
    messages, size = messages_of(program)
    return CoreSummary(
        program.core,
        tuple(name for name in names if name != NO_NODE),
        physical_crossbars(program.groups, arch),
        sum(group.rows * group.cols * group.weight.size for group in program.groups),
        memory_high_water(program),
        len(program.init) + len(program.main),
        messages,
        size,
    )


def rows_by_node(program: Program) -> Iterator[tuple[str, np.ndarray]]:
    """Per node of a program: a mask over the instructions of `main`, in the order of the source map."""
    sources = program.main.columns["source"]
    by_name: dict[str, list[int]] = {}
    for index in np.unique(sources).tolist():
        by_name.setdefault((program.sources[index].node if index >= 0 else "") or NO_NODE, []).append(index)
    for name, indices in by_name.items():
        yield name, np.isin(sources, indices)


def _add(node: NodeSummary, program: Program, arch: Arch, rows: np.ndarray, written: Ranges) -> None:
    columns = program.main.columns
    used = np.unique(columns["arg0"][rows & MULTIPLIES[columns["op"]]]).tolist()
    instruction, begin, end = written
    mine = rows[instruction]
    messages, size = messages_of(program, rows)
    node.cores.append(program.core)
    node.crossbars += physical_crossbars((program.groups[k] for k in used), arch)
    node.memory += merge(begin[mine], end[mine]).size
    node.instructions += int(rows.sum())
    node.messages += messages
    node.message_bytes += size


def messages_of(program: Program, rows: np.ndarray | None = None) -> tuple[int, int]:
    """Messages and bytes that instructions of `main` (all, or those of the mask `rows`) send per sample."""
    columns = program.main.columns
    sends = asking(columns["op"], Ask.SEND)
    times = np.where(sends if rows is None else rows & sends, executions(program.main), 0)
    return int(times.sum()), int((times * columns["n"]).sum())


def ranges(cores: list[int]) -> str:
    """Core numbers, neighbours joined: 0-3, 7."""
    parts: list[list[int]] = []
    for core in sorted(set(cores)):
        if parts and core == parts[-1][-1] + 1:
            parts[-1][1:] = [core]
        else:
            parts.append([core])
    return ", ".join("-".join(map(str, part)) for part in parts)
