"""Where each ONNX node of an image runs: crossbars, digital unit or moves only; multiplications, bytes, utilisation."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from emu.census.census import Census, Share
from emu.census.counts import InstructionCounts, summed
from emu.census.instructions import MMUL, MULTIPLIES
from emu.census.nodes import NO_NODE
from emu.image.manifest import Manifest
from emu.image.reader import Image
from emu.isa.codes import tabulate
from emu.isa.instruction import Family
from emu.isa.table import BY_NAME
from emu.program.group import cell_share, holding_crossbars

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
    manifest: Manifest, census: Census, kinds: Mapping[str, str], warnings: Iterable[str] = ()
) -> MappingReport:
    """The report of the programs of an image; `kinds` are the operators of the nodes."""
    notes = {origin.node: origin.absent for origin in reversed(manifest.tensors)}
    found = {
        node: _mapping(NodeMapping(node, kinds.get(node, ""), NOWHERE), shares, census)
        for node, shares in census.by_node(lambda name: owner(name, notes)).items()
    }
    for node, note in notes.items():
        if node not in found:
            found[node] = NodeMapping(node, kinds.get(node, ""), NOWHERE, note=note or "part of another node")
    order = {node: place for place, node in enumerate(dict.fromkeys(origin.node for origin in manifest.tensors))}
    nodes = [
        node for name, node in sorted(found.items(), key=lambda item: order.get(item[0], len(order))) if name != NO_NODE
    ]
    macs, busiest = census.total.macs, max((core.counts.macs for core in census.cores.values()), default=0)
    products = [node for node in nodes if node.kind in PRODUCTS or node.where in (CROSSBAR, DIGITAL)]
    sites = [sum(node.where == where for node in products) for where in (CROSSBAR, DIGITAL)]
    return MappingReport(
        tuple(nodes),
        macs,
        sum(node.bytes for node in nodes),
        len(census.cores),
        census.sum("crossbars"),
        census.crossbar_share,
        census.cell_share,
        macs / len(census.cores) / busiest if macs else None,
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


def _mapping(node: NodeMapping, shares: Sequence[Share], census: Census) -> NodeMapping:
    """The node with what its cores do for it."""
    counts, groups = summed(share.counts for share in shares), census.groups_of(shares)
    return replace(
        node,
        where=_where(counts),
        macs=counts.macs,
        bytes=counts.sent,
        cores=tuple(share.core for share in shares),
        crossbars=holding_crossbars(groups, census.arch),
        cells=cell_share(groups, census.arch),
    )


def _where(counts: InstructionCounts) -> str:
    codes = np.array([BY_NAME[name].code for name in counts.written], np.intp)
    seen = ((CROSSBAR, MULTIPLIES[codes]), (DIGITAL, codes == MMUL), (VECTOR, _VECTOR[codes]))
    return next((name for name, found in seen if found.any()), MOVES)


def together_with_host(parts: Sequence[MappingReport], image: Image) -> MappingReport:
    """The nodes of all segments in their order, those on the host among them, and totals of the segments of cores.

    `parts` are the reports of these, in order. Cores of one number in two segments are two.
    """
    waiting = iter(parts)
    nodes: list[NodeMapping] = []
    for segment in image.manifest.segments:
        nodes += map(_on_host, segment.nodes) if segment.on_host else next(waiting).nodes
    macs, cores, crossbars = (sum(getattr(part, name) for part in parts) for name in ("macs", "cores", "crossbars"))
    busiest = max((part.macs / part.cores / part.balance for part in parts if part.cores and part.balance), default=0.0)
    slots = cores * image.arch.core.crossbars
    return MappingReport(
        tuple(nodes),
        macs,
        sum(part.bytes for part in parts),
        cores,
        crossbars,
        crossbars / slots if slots else 0.0,
        sum(part.cells * part.crossbars for part in parts) / crossbars if crossbars else 0.0,
        macs / cores / busiest if busiest else None,
        sum(part.crossbar_sites for part in parts),
        sum(part.digital_sites for part in parts),
        sum(part.other_sites for part in parts),
        tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )


def _on_host(node: str) -> NodeMapping:
    """A node that a segment lists as "name (Operator)"."""
    name, _, kind = node.removesuffix(")").rpartition(" (")
    return NodeMapping(name, kind, HOST)
