"""What an action costs on a chip: its own price, or the power of its component times how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch_energy import Energy
from emu.timing.basis.units import PS_PER_NS
from emu.timing.chip.needed import figure
from emu.timing.model.costs import Action

# Actions that have no price of their own cost the power at work, less the static one, for the time of this key.
_LASTS: Mapping[Action, str] = {
    ("crossbar", "read"): "timing.crossbar.read_ns",
    ("dac", "convert"): "timing.crossbar.read_ns",  # a word line is driven as long as the array is read
    ("sample_hold", "op"): "timing.crossbar.read_ns",
    ("adc", "convert"): "timing.adc.convert_ns",
    ("shift_add", "op"): "timing.shift_add.latency_ns",
    ("scalar", "op"): "timing.scalar.op_ns",
    ("control", "instruction"): "timing.control.issue_ns",
    ("bus", "word"): "timing.bus.word_ns",
    ("local_memory", "read"): "timing.local_memory.read_ns",
    ("local_memory", "write"): "timing.local_memory.write_ns",
    ("global_memory", "read"): "timing.global_memory.read_ns",
    ("global_memory", "write"): "timing.global_memory.write_ns",
}
_BUSY = "busy_ps"  # an action that is a picosecond of work
_ELEMENTS = ("multiply", "divide", "special")  # of the vector unit: as `op` where they have no price of their own


@dataclass(frozen=True, slots=True)
class Prices:
    """pJ of the actions that have a price; `unpriced` are the others that were asked for."""

    prices: Mapping[Action, float]
    unpriced: tuple[Action, ...]


def prices_of(arch: Arch, actions: Iterable[Action]) -> Prices:
    """The prices of these actions."""
    energy, wanted = arch.energy or Energy(), sorted(actions)
    found = {action: _price(arch, energy, action) for action in wanted}
    by_pass = found.get(("vector", "pass")) is not None
    known = {action: price for action, price in found.items() if price is not None}
    unpriced = (action for action in wanted if action not in known)
    return Prices(known, tuple(action for action in unpriced if not _other_measure(action, energy, by_pass)))


def _price(arch: Arch, energy: Energy, action: Action) -> float | None:
    component, name = action
    part = getattr(energy, component)
    if name == _BUSY:
        return None if part.power_mw is None else (part.power_mw - (part.static_mw or 0.0)) / PS_PER_NS
    own: float | None = getattr(part, f"{name}_pj")
    if own is None and component == "vector" and name in _ELEMENTS:
        own = energy.vector.op_pj
    lasts = _LASTS.get(action)
    if own is not None or lasts is None or part.power_mw is None:
        return own
    duration = figure(arch, lasts)
    return None if duration is None else (part.power_mw - (part.static_mw or 0.0)) * duration


def _other_measure(action: Action, energy: Energy, by_pass: bool) -> bool:
    """Whether another action stands for the same work: passes or elements, a whole MVM unit or its parts."""
    component, name = action
    if component == "vector":
        return by_pass if name != "pass" else energy.vector.op_pj is not None
    if component == "mvmu":
        return energy.crossbar.read_pj is not None or energy.crossbar.power_mw is not None
    return component in _PARTS and energy.mvmu.power_mw is not None


_PARTS = ("crossbar", "dac", "adc", "sample_hold", "shift_add", "input_register", "output_register")
MVM_UNIT = (*_PARTS, "mvmu")  # what chips price part by part, or as a whole
