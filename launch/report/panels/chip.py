"""The cores on the mesh of each chip, coloured by a metric, and the links between them and between chips."""

from __future__ import annotations

from math import isqrt

from emu.noc.traffic.topology import Chips, Mesh, loads, mesh_of, topology_of
from launch.report.panels.metrics import METRICS
from launch.report.panels.panel import Absent, Drawing, Panel, Values
from launch.report.sources.known import KnownSubject


def _values(known: KnownSubject, _absent: Absent) -> Values:
    """The mesh: its `width` and `height` in cores, and per link in use the `bytes` of a sample, by XY routing.

    Several chips stand in rows of `across`.
    """
    arch = known.census.arch
    topology, width = topology_of(arch), mesh_of(arch).width
    found = loads(topology, {pair: size for pair, (_, size) in known.census.traffic.items()})
    return {
        "chip": {
            "cores": arch.all_cores,
            "chips": arch.system.chips,
            "across": _across(topology, arch.system.chips),
            "chip_cores": arch.cores,
            "width": width,
            "height": -(-arch.cores // width),
            "byte_hops": found.byte_hops,
            "links": [{"from": src, "to": dst, "bytes": size} for (src, dst), size in sorted(found.links.items())],
        },
        "metrics": [metric.to_dict() for metric in METRICS.values()],
    }


def _across(topology: Mesh | Chips, chips: int) -> int:
    """How many chips stand in a row of the drawing: as in the mesh that connects them, or in a square."""
    if isinstance(topology, Chips) and isinstance(topology.between, Mesh):
        return topology.between.width
    return isqrt(chips - 1) + 1


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
            "`cores`, `chips`, `chip_cores`": "cores in all, chips, and cores of one",
            "`width`, `height`": "columns and rows of the mesh of a chip",
            "`across`": "chips in a row of the drawing",
            "`byte_hops`": "bytes times links",
            "`links`": "per link in use `from`, `to`, `bytes`, by XY routing; one between chips is named by their first"
            " cores, and a switch is behind the last core",
        },
        "metrics": {
            "": "what cores can be coloured by",
            "`name`, `title`, `short`, `unit`, `fields`": "`unit` is `count`, `bytes`, `ps`, `pj` or `seconds`; the"
            " fields of a core whose sum it is",
        },
    },
)
