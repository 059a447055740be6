"""The same programs on a chip with other figures: what was proved of them under the flow holds, costs are new."""

from __future__ import annotations

from copy import copy

from emu.arch import Arch
from emu.errors import ArchError
from emu.replay.core_view import SectionView
from emu.timing.basis.units import picoseconds
from emu.timing.chip.product import model_of
from emu.timing.model.section_costs import section_costs
from emu.timing.model.widths import widths_of
from emu.timing.network.network import network_of
from emu.timing.prepare import refuse_endless
from emu.timing.setup import Setup, TimedCore, TimedSection


def repriced(setup: Setup, arch: Arch, samples: int = 1) -> Setup:
    """What `prepare` gives on `arch`, which differs from the chip of `setup` in nothing that programs depend on."""
    if arch.timing is None:
        raise ArchError(f"{arch.title} has no table [timing]")
    widths, network = widths_of(arch, (core.program for core in setup.cores.values())), network_of(arch, [*setup.cores])
    model = model_of(arch)
    cores: dict[int, TimedCore] = {}
    for number, core in setup.cores.items():
        views = {name: _on(timed.view, arch) for name, timed in core.sections.items()}
        costs = {name: section_costs(view, widths, network, len(setup.cores), model) for name, view in views.items()}
        cores[number] = TimedCore(core.program, {name: TimedSection(views[name], costs[name]) for name in views})
    refuse_endless(cores, network, samples)
    fill, window = picoseconds(arch.timing.control.fill_ns or 0.0), arch.timing.window or model.window
    return Setup(cores, window, arch.timing.local_ports or 0, setup.memory_ports, network, setup.credits, fill)


def _on(view: SectionView, arch: Arch) -> SectionView:
    """A section on another chip; what is known of its operands and its order goes with it."""
    other = copy(view)
    object.__setattr__(other, "arch", arch)
    return other
