"""Where each ONNX node runs, for `emu compile --report`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from emu.wording import counted
from launch.text.answer import Part, Table
from launch.text.units import many_text, ranges, size_text

if TYPE_CHECKING:
    from launch.images.mapping import MappingReport

LEGEND = (
    "MACs: multiplications per sample, on crossbars each cell in use; bytes: of messages that carry the node's result; "
    "cells: share of the cells of its crossbars that hold weights"
)


def mapping_parts(report: MappingReport) -> Iterator[Part]:
    """The table and the totals of it."""
    yield Table(
        "where the nodes run",
        ("node", "operator", "where", "cores", "MACs", "bytes", "crossbars", "cells"),
        [
            (
                node.node,
                node.kind,
                node.where or f"({node.note})",
                ranges(list(node.cores)),
                many_text(node.macs),
                size_text(node.bytes),
                node.crossbars or "",
                f"{node.cells:.0%}" if node.crossbars else "",
            )
            for node in report.nodes
        ],
        "llllrrrr",
    )
    yield LEGEND
    products = f"{counted(report.crossbar_sites, 'product')} on crossbars, {report.digital_sites} of two results"
    others = f", {report.other_sites} on the vector unit" if report.other_sites else ""
    taken = f"{counted(report.cores, 'core')}, {counted(report.crossbars, 'crossbar')}"
    shares = f"{report.crossbar_share:.1%} of what these cores have, {report.cells:.1%} of their cells in use"
    even = "" if report.balance is None else f", on the average core {report.balance:.0%} of those on the busiest one"
    yield (
        f"in all: {products}{others}; {many_text(report.macs)} MACs{even}; {size_text(report.bytes)} between cores;"
        f" {taken} ({shares})"
    )
