"""The node: area and energy of the same circuit at another one, and of cells that are as large as their lines."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import exp, log

from emu.arch.laws.law import ACTION, ALL, AREA, POWER, STATIC, Chip, Law, Measure

NODE, SUPPLY = "chip.node_nm", "chip.supply_v"
SUPPLY_V = 0.8  # of a chip that does not say: as CiMLoop's components take it
_NODES = {  # nm: area at 32 nm is that at the node times the first; energy goes as a V^2 + b V + c
    7: (7.8, (0.1776, -0.09097, 0.02447)),
    10: (4.5, (0.2068, -0.09311, 0.02375)),
    14: (2.7, (0.2363, -0.09675, 0.02239)),
    16: (2.4, (0.2958, -0.1241, 0.03024)),
    20: (2.2, (0.373, -0.1582, 0.04104)),
    32: (1.0, (0.9559, -0.7823, 0.471)),
    45: (0.46, (1.103, -0.362, 0.2767)),
    65: (0.31, (3.755, -4.398, 1.975)),
    90: (0.16, (4.762, -4.781, 2.092)),
    130: (0.072, (7.171, -6.709, 2.904)),
}


def node_area(node_nm: float) -> float:
    """Area of a circuit at a node, that at 32 nm being 1."""
    return _between(node_nm, lambda node: 1 / _NODES[node][0])


def node_energy(node_nm: float, supply_v: float) -> float:
    """Energy of a circuit at a node and a supply voltage, in units of the fit."""

    def at(node: int) -> float:
        squared, once, fixed = _NODES[node][1]
        return squared * supply_v**2 + once * supply_v + fixed

    return _between(node_nm, at)


def _between(node_nm: float, at: Callable[[int], float]) -> float:
    """A value between those of nodes: a power of the node, also beyond the first and the last."""
    nodes = [*_NODES]
    place = min(max(bisect_left(nodes, node_nm), 1), len(nodes) - 1)
    low, high = nodes[place - 1], nodes[place]
    share = log(node_nm / low) / log(high / low)
    return exp((1 - share) * log(at(low)) + share * log(at(high)))


def _energy(chip: Chip) -> float:
    return node_energy(chip(NODE), chip(SUPPLY) or SUPPLY_V)


_ENERGY = Measure(
    f"a V^2 + b V + c by node, V = {SUPPLY_V} if the chip does not say; between nodes a power of the node",
    (NODE, SUPPLY),
    _energy,
)
NODES = (
    Law(
        "node",
        ALL,
        {
            ACTION: _ENERGY,
            POWER: _ENERGY,
            STATIC: _ENERGY,
            AREA: Measure(
                "1 / area factor of the node; between nodes a power of it",
                (NODE,),
                lambda chip: node_area(chip(NODE)),
            ),
        },
        "Stillmaker and Baas, Integration 58, 2017; times stay as they are",
        {NODE: (7, 130), SUPPLY: (0.6, 1.2)},
    ),
    Law(
        "cell-node",
        ("crossbar",),
        {AREA: Measure("node^2", (NODE,), lambda chip: chip(NODE) ** 2)},
        "a cell takes 4 F^2 and more, F being the node",
    ),
)
