"""Energy of products from what a run has counted, beside what `emu time` says of the same products without data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emu.analog.energy import reading_pj
from emu.arch import Arch
from emu.errors import ArchError, ProgramError
from emu.image.reader import Image
from emu.isa.codes import ON_GROUP
from emu.noc.ports.port import FlowControl
from emu.program.nesting import executions
from emu.timing.energy.prices import prices_of
from emu.timing.model.costs import Action
from emu.timing.prepare import prepare
from launch.analog.layers import GroupCounts, groups_of, number
from launch.text.answer import Table
from launch.text.units import energy_text, number_text

READ, DRIVE, CONVERT, WRITE = ("crossbar", "read"), ("dac", "convert"), ("adc", "convert"), ("crossbar", "write_cell")
PARTS: Mapping[str, Action] = {"cells": READ, "drivers": DRIVE, "converters": CONVERT}  # by what a chip prices
TITLES = ("layer", "cells", "as priced", "drivers", "as priced", "converters", "as priced", "of the priced")


@dataclass(slots=True)
class PartEnergy:
    """pJ of one part of a layer's crossbars in a sample: from `data`, and `priced` without; None: not known."""

    data: float | None = None
    priced: float | None = None

    @property
    def ratio(self) -> float | None:
        """The first over the second."""
        return None if self.data is None or not self.priced else self.data / self.priced

    def add(self, data: float | None, priced: float | None) -> None:
        """Those of one more array group."""
        self.data = data if self.data is None or data is None else self.data + data
        self.priced = priced if self.priced is None or priced is None else self.priced + priced


@dataclass(slots=True)
class LayerEnergy:
    """The energy of the products of a layer, by part; `write_pj` of programming its cells once, with all pulses."""

    node: str
    parts: Mapping[str, PartEnergy] = field(default_factory=lambda: {name: PartEnergy() for name in PARTS})
    written: int = 0
    pulses: int = 0
    write_pj: float | None = None

    @property
    def ratio(self) -> float | None:
        """Data over price of all parts of which both are known; None if there is none."""
        known = [part for part in self.parts.values() if part.ratio is not None]
        priced = sum(part.priced or 0.0 for part in known)
        return sum(part.data or 0.0 for part in known) / priced if priced else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        parts = {
            name: {"data_pj": part.data, "priced_pj": part.priced, "ratio": part.ratio}
            for name, part in self.parts.items()
        }
        writes = {"written": self.written, "pulses": self.pulses, "write_pj": self.write_pj}
        return {"node": self.node, **parts, "ratio": self.ratio, **writes}


def data_energy(image: Image, arch: Arch, counts: Mapping[int, np.ndarray], samples: int) -> list[LayerEnergy]:
    """The energy of products per sample, by layer, of what `samples` samples have counted; empty if nothing is known.

    `counts` are float64 [groups, COUNTS] by core. Cells: the sum of V^2 G t as
    applied. Drivers: pulses of voltages that are not 0, times the price of one; converters: conversions as executed.
    Beside each stands what the chip's prices say of the same products whatever the data is, as `emu time` counts them.
    """
    priced = _priced(image, arch)
    prices = prices_of(arch, [*PARTS.values(), WRITE]).prices if arch.energy is not None else {}
    found: dict[str, LayerEnergy] = {}
    for group in groups_of(image, counts):
        layer = found.setdefault(group.node, LayerEnergy(group.node))
        own = priced.get((group.core, group.group), {})
        for name, amount in _of_data(image, arch, group, prices).items():
            price, count = prices.get(PARTS[name]), own.get(PARTS[name])
            without = None if price is None or count is None else count * price
            layer.parts[name].add(None if amount is None else amount / samples, without)
        pulses = int(number(group.counts, "verified"))
        layer.written, layer.pulses = layer.written + int(number(group.counts, "written")), layer.pulses + pulses
        if WRITE in prices:
            layer.write_pj = (layer.write_pj or 0.0) + pulses * prices[WRITE]
    known = (part for layer in found.values() for part in layer.parts.values())
    return list(found.values()) if any(part.data is not None for part in known) else []


def energy_table(layers: Iterable[LayerEnergy]) -> Table:
    """The same for people, of one sample."""
    rows = [
        (
            layer.node,
            *(_energy(value) for part in layer.parts.values() for value in (part.data, part.priced)),
            "" if layer.ratio is None else number_text(layer.ratio),
        )
        for layer in layers
    ]
    return Table("energy of products per sample, from data and as priced without", TITLES, rows, "lrrrrrrr")


def _energy(value: float | None) -> str:
    return "" if value is None else energy_text(value)


def _of_data(image: Image, arch: Arch, group: GroupCounts, prices: Mapping[Action, float]) -> dict[str, float | None]:
    """pJ of all samples by part."""
    spec = image.program(group.core).groups[group.group]
    cells = reading_pj(arch, group.counts)
    # A pulse of a row is one of each array across it: tiles of columns, slices, and both of a pair.
    drivers = len(spec.col_tiles) * arch.cells(spec.weight)
    drive, convert = prices.get(DRIVE), prices.get(CONVERT)
    return {
        "cells": None if cells is None else float(cells),
        "drivers": None if drive is None else number(group.counts, "pulses") * drivers * drive,
        "converters": None if convert is None else number(group.counts, "conversions") * convert,
    }


def _priced(image: Image, arch: Arch) -> dict[tuple[int, int], dict[Action, int]]:
    """How often each part acts in a sample by the chip's model of time, by core and array group."""
    programs = {core: image.program(core) for core in image.cores}
    try:
        setup = prepare(programs, arch, FlowControl())
    except (ArchError, ProgramError):  # the chip does not say what a product takes
        return {}
    found: dict[tuple[int, int], dict[Action, int]] = {}
    for core, entry in setup.cores.items():
        section, costs = programs[core].main, entry.sections["main"].costs
        on_group, which, times = ON_GROUP[section.columns["op"]], section.columns["arg0"], executions(section)
        for place in range(len(programs[core].groups)):
            mine = on_group & (which == place)
            found[core, place] = {
                action: int((amounts[mine] * times[mine]).sum()) for action, amounts in costs.counts.items()
            }
    return found
