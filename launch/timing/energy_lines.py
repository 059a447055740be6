"""The energy of a timed image for people: what follows the work, what follows time, and what is not counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from emu.timing.energy.counted import counted_of
from launch.text.units import energy_text, power_text
from launch.timing.energy import EnergyReport
from launch.timing.report import TimingReport

SHOWN, LEAST = 3, 1e-3  # components that a line names, each with so much of the whole at least
DOMINATES = 0.5  # the share of the energy from which on the static power of one component is told by itself


def energy_lines(report: TimingReport) -> list[str]:
    """Of a sample in the steady state, and of one alone."""
    energy = report.energy
    if energy is None:
        return []
    static, used = report.static_pj(report.period_ps), energy.static.used
    whole = energy.dynamic_pj + static
    alone = energy.dynamic_pj + report.static_pj(report.latency_ps)
    lines = [
        f"energy of a sample {energy_text(whole)} in the steady state: dynamic {energy_text(energy.dynamic_pj)}"
        f"{_parts([*_shares(energy.by_component), *_communication(energy)])}, static {energy_text(static)}"
        f"{_parts(_shares(used))}",
        f"a sample alone, over its latency, {energy_text(alone)}",
    ]
    if report.power_mw is not None:
        lines[-1] += f"; average power {power_text(report.power_mw)}"
    most = max(used, key=lambda name: used[name], default="")
    share = static * used[most] / sum(used.values()) / whole if static else 0.0
    if share >= DOMINATES:
        lines.append(
            f"static power of {most}, {power_text(used[most])}, is {share_text(share)} of the energy: a constant of the"
            " chip, whatever is computed"
        )
    return lines


def uncounted(report: TimingReport) -> str:
    """Of which components the energy says nothing; empty if it has all."""
    chip, energy = report.timed.chip, report.energy
    if energy is None:
        return f"no energy: {chip.name} has no table [energy]"
    found: list[str] = []
    if energy.unpriced:
        priced = {component for component, _ in energy.by_action}
        actions: dict[str, list[str]] = {}
        for component, action in energy.unpriced:
            actions.setdefault(component, []).append(action)
        names = [f"{name} ({', '.join(of)})" if name in priced else name for name, of in actions.items()]
        found.append(f"work of {', '.join(names)}")
    counted = counted_of(chip)
    rest = counted.rest or {}
    silent = sorted({*(counted.work or {}), *(counted.area or {})} - set(rest))
    if not rest:
        found.append("any static power")
    elif silent:
        but = f"all but {', '.join(rest)}"
        found.append(f"static power of {but if len(rest) < len(silent) else ', '.join(silent)}")
    return f"not in the energy, as {chip.name} says nothing of it: {'; '.join(found)}" if found else ""


def share_text(share: float) -> str:
    """A share in three digits; 100% is all of it."""
    return f"{100 * share if share >= 1 else min(100 * share, 99.9):.3g}%"


def shares_text(amounts: Mapping[str, float]) -> str:
    """The components with the most, the largest first, each with its share of the sum."""
    return ", ".join(_shares(amounts))


def _shares(amounts: Mapping[str, float]) -> list[str]:
    total = sum(amounts.values())
    largest = sorted((item for item in amounts.items() if item[1] >= LEAST * total > 0), key=lambda item: -item[1])
    return [f"{name} {share_text(amount / total)}" for name, amount in largest[:SHOWN]]


def _communication(energy: EnergyReport) -> Iterable[str]:
    if energy.communication_pj and energy.dynamic_pj:
        yield f"communication {share_text(energy.communication_pj / energy.dynamic_pj)}"


def _parts(texts: list[str]) -> str:
    return f" ({', '.join(texts)})" if texts else ""
