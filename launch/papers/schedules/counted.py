"""Kernels that call a device, counted with several schedules on several chips, without being executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compiler.offload.context import OffloadContext
from compiler.offload.kernels import KERNELS
from compiler.offload.program import HostProgram
from compiler.offload.work import offloaded_share
from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.offload.counting import CallCounts, count
from launch.papers.schedules.case import OFFLOADS


def counted_kernel(
    network: str, chip: str, schedules: Sequence[str], points: Sequence[Mapping[str, Any]], folder: str
) -> dict[str, Any]:
    """A kernel of OCC: its call sites, writes of each schedule, the times (ps) of all at each point of the chip.

    The share that is offloaded, and the use of tiles, are those of the first schedule.
    """
    kernel, arch = KERNELS[network], load_arch(chip)
    context = OffloadContext(arch, arch.cores)
    program = HostProgram.read(Path(network), kernel.text().encode(), context)
    found: list[list[CallCounts]] = []
    sites = set[int]()
    for schedule in schedules:
        lowered = program.lowered(OFFLOADS[schedule]["passes"].split(","), context, "cim")
        sites.add(lowered.sites)
        found.append([count(lowered, derived(arch, changes), arch.cores) for changes in points])
    return {
        "network": network,
        "size": kernel.size,
        "executed": kernel.executed,
        "sites": sorted(sites),
        "known_sites": kernel.sites,
        "writes": [made[0].counts.writes for made in found],
        "times_ps": [[made[point].time_ps or 0 for made in found] for point in range(len(points))],
        "share": offloaded_share(program, OFFLOADS[schedules[0]]["passes"].split(","), context),
        "use": found[0][0].use,
    }
