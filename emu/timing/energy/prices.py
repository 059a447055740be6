"""What an action costs on a chip: its own price, or the power of its component times how long it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from emu.arch import Arch
from emu.arch.components import COMPONENTS
from emu.arch.figures import Energy
from emu.arch.key import keys_of
from emu.timing.basis.units import PS_PER_NS
from emu.timing.chip.needed import figure
from emu.timing.model.costs import Action

BUSY = "busy_ps"  # an action that is a picosecond of work
MVM_UNIT = tuple(  # what chips price part by part, or as a whole: `mvmu`
    name for name, component in COMPONENTS.items() if component.level in ("crossbar", "mvmu")
)


@dataclass(frozen=True, slots=True)
class ActionPrices:
    """pJ of the actions that have a price; `unpriced` are the others that were asked for."""

    prices: Mapping[Action, float]
    unpriced: tuple[Action, ...]


def prices_of(arch: Arch, actions: Iterable[Action]) -> ActionPrices:
    """The prices of these actions."""
    energy, wanted = arch.energy or Energy(), sorted(actions)
    found = {action: _price(arch, energy, action) for action in wanted}
    by_pass = found.get(("vector", "pass")) is not None
    known = {action: price for action, price in found.items() if price is not None}
    unpriced = (action for action in wanted if action not in known)
    return ActionPrices(known, tuple(action for action in unpriced if not _other_measure(action, energy, by_pass)))


def _price(arch: Arch, energy: Energy, action: Action) -> float | None:
    component, name = action
    part = getattr(energy, component)
    if name == BUSY:
        return None if part.power_mw is None else (part.power_mw - (part.static_mw or 0.0)) / PS_PER_NS
    own: float | None = getattr(part, f"{name}_pj")
    fallback = keys_of(part)[f"{name}_pj"].fallback
    if own is None and fallback:
        own = getattr(part, f"{fallback}_pj")
    time = COMPONENTS[component].duration.get(name)
    if own is not None or time is None or part.power_mw is None:
        return own
    duration = figure(arch, time)
    return None if duration is None else (part.power_mw - (part.static_mw or 0.0)) * duration


def _other_measure(action: Action, energy: Energy, by_pass: bool) -> bool:
    """Whether another action stands for the same work: passes or elements, a whole MVM unit or its parts."""
    component, name = action
    if component == "vector":
        return by_pass if name != "pass" else energy.vector.op_pj is not None
    if component == "mvmu":
        return energy.crossbar.read_pj is not None or energy.crossbar.power_mw is not None
    return component in MVM_UNIT and energy.mvmu.power_mw is not None
