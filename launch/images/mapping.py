"""Where each ONNX node of an image runs: crossbars, digital unit or moves only; multiplications, bytes, utilisation."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from emu.image.manifest import Manifest
from emu.isa.codes import tabulate
from emu.isa.instruction import Family
from emu.program.group import GroupSpec, cell_share, holding_crossbars, physical_crossbars
from emu.program.program import Program
from launch.images.counts import MMUL, MULTIPLIES, macs_of
from launch.images.summary import NO_NODE, messages_of, rows_by_node

CROSSBAR, DIGITAL, VECTOR, MOVES, NOWHERE = "crossbar", "digital products", "vector unit", "moves", ""
HOST = "host"  # of a network that runs in segments
PRODUCTS = frozenset(("MatMul", "Gemm", "Einsum", "Conv", "ConvTranspose", "LSTM", "GRU", "RNN", "Attention"))
_VECTOR = tabulate(
    lambda row: (
        row.family in (Family.BINARY, Family.COMPARE, Family.SELECT, Family.IMMEDIATE, Family.UNARY, Family.REDUCE)
    ),
    np.bool_,
)


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """One ONNX node, or what belongs to none.

    `macs` are the multiplications of crossbars (each cell in use, zeros of block-diagonal matrices too), of matrix
    products and of dot products of the digital unit, per sample. `bytes` are those of messages that carry its result.
    """

    node: str
    kind: str  # its operator, "" if that is not known
    where: str  # the first of the names above that applies
    macs: int = 0
    bytes: int = 0
    cores: tuple[int, ...] = ()
    crossbars: int = 0  # physical ones
    cells: float = 0.0  # share of the cells of these crossbars that hold weights
    note: str = ""  # why it runs nowhere


@dataclass(frozen=True, slots=True)
class MappingReport:
    """All nodes of the network, and totals.

    `crossbar_sites` are nodes that multiply on crossbars, `digital_sites` those that multiply two results, on the
    digital unit; `other_sites` nodes whose operator is a product but that run elsewhere. `balance` is the mean of the
    multiplications of the cores in use over those of the busiest one, None if nothing multiplies.
    """

    nodes: tuple[NodeMapping, ...]
    macs: int
    bytes: int
    cores: int
    crossbars: int
    crossbar_share: float  # of the crossbars of those cores
    cells: float
    balance: float | None
    crossbar_sites: int
    digital_sites: int
    other_sites: int
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def map_nodes(
    manifest: Manifest, programs: Mapping[int, Program], kinds: Mapping[str, str], warnings: Iterable[str] = ()
) -> MappingReport:
    """The report of validated programs, by core; `kinds` are the operators of the nodes."""
    arch, found, work = manifest.arch, dict[str, NodeMapping](), dict[int, int]()
    notes = {origin.node: origin.absent for origin in reversed(manifest.tensors)}
    groups: dict[str, list[GroupSpec]] = {}
    for core, program in sorted(programs.items()):
        work[core] = 0
        for name, rows in rows_by_node(program):
            node = owner(name, notes)
            mine, used = _on_core(NodeMapping(node, kinds.get(node, ""), NOWHERE), program, rows)
            groups.setdefault(node, []).extend(used)
            found[node] = _together(found[node], mine) if node in found else mine
            work[core] += mine.macs
    for node, note in notes.items():
        if node not in found:
            found[node] = NodeMapping(node, kinds.get(node, ""), NOWHERE, note=note or "part of another node")
    order = {node: place for place, node in enumerate(dict.fromkeys(origin.node for origin in manifest.tensors))}
    nodes = [
        replace(
            node, crossbars=holding_crossbars(groups.get(name, []), arch), cells=cell_share(groups.get(name, []), arch)
        )
        for name, node in sorted(found.items(), key=lambda item: order.get(item[0], len(order)))
        if name != NO_NODE
    ]
    every = [group for program in programs.values() for group in program.groups]
    crossbars = sum(physical_crossbars(program.groups, arch) for program in programs.values())
    macs = sum(work.values())
    products = [node for node in nodes if node.kind in PRODUCTS or node.where in (CROSSBAR, DIGITAL)]
    sites = [sum(node.where == where for node in products) for where in (CROSSBAR, DIGITAL)]
    return MappingReport(
        tuple(nodes),
        macs,
        sum(node.bytes for node in nodes),
        len(programs),
        crossbars,
        crossbars / (len(programs) * arch.core.crossbars) if programs and arch.core.crossbars else 0.0,
        cell_share(every, arch),
        macs / len(work) / max(work.values()) if macs else None,
        *sites,
        sum(node.where not in (CROSSBAR, DIGITAL) and not node.note for node in products),
        tuple(warnings),
    )


def owner(name: str, nodes: Container[str]) -> str:
    """The ONNX node that a source of instructions belongs to: parts of a node are called NODE/PART."""
    owner = name
    while owner and owner not in nodes:
        owner = owner.rpartition("/")[0]
    return owner or name


def _on_core(node: NodeMapping, program: Program, rows: np.ndarray) -> tuple[NodeMapping, list[GroupSpec]]:
    """What the instructions `rows` of a program do for a node, and the array groups that they multiply with."""
    columns = program.main.columns
    op = columns["op"]
    multiplies, products = rows & MULTIPLIES[op], rows & (op == MMUL)
    used = columns["arg0"][multiplies]
    _, sent = messages_of(program, rows)
    where = next(
        (
            name
            for name, seen in ((CROSSBAR, multiplies), (DIGITAL, products), (VECTOR, rows & _VECTOR[op]))
            if seen.any()
        ),
        MOVES,
    )
    groups = [program.groups[index] for index in np.unique(used).tolist()]
    return replace(node, where=where, macs=int(macs_of(program)[rows].sum()), bytes=sent, cores=(program.core,)), groups


def _together(a: NodeMapping, b: NodeMapping) -> NodeMapping:
    """One node on more cores."""
    where = min(a.where, b.where, key=(CROSSBAR, DIGITAL, VECTOR, MOVES, NOWHERE).index)
    cores = tuple(sorted({*a.cores, *b.cores}))
    return replace(a, where=where, macs=a.macs + b.macs, bytes=a.bytes + b.bytes, cores=cores)
