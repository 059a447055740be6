"""The cores on the mesh, coloured by a metric, and the links between them."""

from __future__ import annotations

from emu.noc.traffic.topology import loads, topology_of
from launch.report.panels.metrics import METRICS
from launch.report.panels.panel import Absent, Drawing, Panel, Values
from launch.report.sources.known import KnownSubject


def _values(known: KnownSubject, _absent: Absent) -> Values:
    """The mesh: its `width` and `height` in cores, and per link in use the `bytes` of a sample, by XY routing."""
    mesh, cores = topology_of(known.census.arch), known.census.arch.cores
    found = loads(mesh, {pair: size for pair, (_, size) in known.census.traffic.items()})
    return {
        "chip": {
            "cores": cores,
            "width": mesh.width,
            "height": -(-cores // mesh.width),
            "byte_hops": found.byte_hops,
            "links": [{"from": src, "to": dst, "bytes": size} for (src, dst), size in sorted(found.links.items())],
        },
        "metrics": [metric.to_dict() for metric in METRICS.values()],
    }


CHIP = Panel(
    name="chip",
    title="Chip",
    about="the cores on the mesh, coloured by multiplications, time of the busiest unit, waits for other cores,"
    " traffic, energy, real time, crossbars, cells written or memory; links by bytes. Of a chip of more than 128 cores"
    ' those in use; "whole chip" shows all',
    make=_values,
    blocks=[Drawing("chip")],
    csv={"chip.links": ("link", "{from} {to}")},
    fields={
        "chip": {
            "": "the mesh of cores",
            "`cores`, `width`, `height`": "cores of the chip; columns and rows of the mesh",
            "`byte_hops`": "bytes times links",
            "`links`": "per link in use `from`, `to`, `bytes`, by XY routing",
        },
        "metrics": {
            "": "what cores can be coloured by",
            "`name`, `title`, `short`, `unit`, `fields`": "`unit` is `count`, `bytes`, `ps`, `pj` or `seconds`; the"
            " fields of a core whose sum it is",
        },
    },
)
