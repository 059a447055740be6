"""The graph of the network, each node with its cores."""

from __future__ import annotations

from emu.errors import option
from launch.report.panels.panel import Absent, Drawing, Panel, Values
from launch.report.sources.graph import MODEL
from launch.report.sources.known import KnownSubject


def _values(known: KnownSubject, absent: Absent) -> Values:
    graph = known.graph
    if graph.source != MODEL:
        absent["operators of nodes"] = (
            f"the image does not hold them: name the ONNX file by {option('model', 'MODEL.onnx')};"
            " the graph is what programs read of each other's bytes"
        )
    return {"graph": {"source": graph.source, "edges": [list(edge) for edge in graph.edges]}}


NETWORK = Panel(
    name="network",
    title="Network",
    about="the graph from top to bottom, each node with its operator and cores; dashed: fused into another node, or on"
    " no core",
    make=_values,
    blocks=[Drawing("network")],
    beside=True,
    fields={
        "graph": {
            "": "which node reads what which other one has made",
            "`source`, `edges`": "read from the ONNX file (`model`), or from what programs read of each other"
            " (`programs`); pairs of nodes",
        }
    },
)
