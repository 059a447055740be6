"""Energy of a timed image by component, node and core: dynamic energy of one sample, static power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from emu.census.nodes import node_of
from emu.timing.energy.counts import ActionCounts, counts_of
from emu.timing.energy.energy import StaticPower, by_component, dynamic_pj, static_pj, static_power
from emu.timing.energy.prices import prices_of
from emu.timing.model.costs import Action
from launch.timing.timed_image import TimedImage

COMMUNICATION = ("transfer", "router", "link", "chip_link", "receive_buffer")


@dataclass(frozen=True, slots=True)
class EnergyReport:
    """pJ of one sample without static power; `init_pj` is that of `init`, once per power-on.

    `counts` are actions of one sample, `unpriced` those of them that the chip has no price for. `static` is mW.
    """

    counts: Mapping[Action, int]
    by_action: Mapping[Action, float]
    by_component: Mapping[str, float]
    by_node: Mapping[str, float]
    by_core: Mapping[int, float]
    unpriced: tuple[Action, ...]
    init_pj: float
    static: StaticPower

    @property
    def dynamic_pj(self) -> float:
        """Of one sample."""
        return sum(self.by_component.values())

    def static_pj(self, ps: int) -> float:
        """Of the static power of the cores in use over so many ps."""
        return static_pj(sum(self.static.used.values()), ps)

    @property
    def communication_pj(self) -> float | None:
        """The part of it that messages take on their way; None if nothing of that has a price."""
        known = [self.by_component[name] for name in COMMUNICATION if name in self.by_component]
        return sum(known) if known else None

    @property
    def adc_share(self) -> float | None:
        """The part of it that analog-to-digital converters take; None if they have no price of their own."""
        if ("adc", "convert") not in self.by_action or not self.dynamic_pj:
            return None
        return self.by_action["adc", "convert"] / self.dynamic_pj


def energy_report(timed: TimedImage) -> EnergyReport | None:
    """The energy of a timed image; None for a chip whose description has no table [energy]."""
    if timed.chip.energy is None:
        return None
    main, init = (counts_of(timed.setup, name, getattr(timed.timing, name)) for name in ("main", "init"))
    counts = {action: count // timed.samples for action, count in main.totals().items()}
    prices = prices_of(timed.chip, {*counts, *init.totals()})
    by_action = dynamic_pj(counts, prices)
    by_node, by_core = _places(timed, main, prices.prices)
    return EnergyReport(
        counts,
        by_action,
        by_component(by_action),
        by_node,
        by_core,
        tuple(action for action in prices.unpriced if action in counts),
        sum(dynamic_pj(init.totals(), prices).values()),
        static_power(timed.chip, timed.programs),
    )


def dynamic_of(timed: TimedImage) -> float:
    """pJ of one sample without static power, without where they go."""
    counts = counts_of(timed.setup, "main", timed.timing.main).totals()
    return sum(dynamic_pj(counts, prices_of(timed.chip, counts)).values()) / timed.samples


def _places(
    timed: TimedImage, counts: ActionCounts, prices: Mapping[Action, float]
) -> tuple[dict[str, float], dict[int, float]]:
    """pJ of one sample by node and by core."""
    by_node, by_core = dict[str, float](), dict.fromkeys(timed.programs, 0.0)
    for (core, source), amounts in counts.by_place().items():
        pj = sum(amount // timed.samples * prices.get(action, 0.0) for action, amount in amounts.items())
        node = node_of(timed.programs[core], source)
        by_node[node] = by_node.get(node, 0.0) + pj
        by_core[core] += pj
    return by_node, by_core
