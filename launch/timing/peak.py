"""The most power and the most crossbars of a timed image at one time, as plain values and as lines."""

from __future__ import annotations

from typing import Any

from emu.timing.energy.energy import static_power
from emu.timing.power.peak import Peak, peak_power
from launch.text.units import power_text, time_text
from launch.timing.timed_image import TimedImage


def peak_of(timed: TimedImage) -> Peak:
    """Of all samples of the run; raises TimingRefused where too many operations had to be kept."""
    return peak_power(timed.setup, timed.chip, timed.samples)


def peak_values(timed: TimedImage, peak: Peak) -> dict[str, Any]:
    """Powers in mW, null for a chip without energies: of the chip with, and of a core without static power."""
    power, crossbars, energy = peak.power, peak.crossbars, timed.chip.energy is not None
    static = sum(static_power(timed.chip, timed.programs).used.values())
    return {
        "power_mw": peak.chip_mw + static if energy else None,
        "dynamic_mw": peak.chip_mw if energy else None,
        "at_ps": power.at if energy else None,
        "components": dict(peak.components),
        "core": power.core if energy else None,
        "core_mw": peak.core_mw if energy else None,
        "crossbars": crossbars.chip,
        "crossbars_at_ps": crossbars.at,
        "crossbars_core": crossbars.core,
        "crossbars_of_core": crossbars.on_core,
    }


def peak_lines(timed: TimedImage, values: dict[str, Any]) -> list[str]:
    """The same as sentences."""
    lines = [
        f"most crossbars at work at one time: {values['crossbars']}, first at {time_text(values['crossbars_at_ps'])};"
        f" of one core {values['crossbars_of_core']}, core {values['crossbars_core']}"
    ]
    if values["power_mw"] is None:
        return [*lines, f"no peak power: {timed.chip.name} has no table [energy]"]
    most = sorted(values["components"].items(), key=lambda item: -item[1])
    parts = ", ".join(f"{name} {power / values['dynamic_mw']:.0%}" for name, power in most[:4])
    return [
        f"peak power {power_text(values['power_mw'])}, of which {power_text(values['dynamic_mw'])} dynamic, first at"
        f" {time_text(values['at_ps'])}{f' ({parts})' if parts else ''}; of one core {power_text(values['core_mw'])}"
        f" dynamic, core {values['core']}",
        *lines,
    ]
