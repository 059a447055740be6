"""Where the nodes of a network with host nodes run: what the reports of its segments say together."""

from __future__ import annotations

from collections.abc import Sequence

from emu.image.reader import Image
from launch.images.mapping import HOST, MappingReport, NodeMapping


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
