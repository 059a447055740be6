"""Rows of the table of OCC's kernels in docs/offload.md, counted: `python -m occ_table` prints them."""

from __future__ import annotations

import sys
from pathlib import Path

from compiler.offload.context import OffloadContext
from compiler.offload.kernels import KERNELS
from compiler.offload.program import HostProgram
from compiler.offload.work import offloaded_share
from emu.arch_file import load_arch
from launch.offload.counting import CallCounts, count
from launch.schedules.case import OFFLOADS
from launch.schedules.experiments import EXPERIMENTS
from launch.schedules.published import OCC_GAINS
from launch.sweeps.variations import changed_chip

FIGURE = EXPERIMENTS["occ"]
COLUMNS = (
    "kernel", "size", "call sites", "writes", "interchanged", "time, a row", "time, a tile", "time, paper", "offloaded",
    "use of tiles",
)  # fmt: skip


def row(name: str) -> str:
    """The line of a kernel."""
    kernel, arch = KERNELS[name], load_arch(FIGURE.chip)
    context = OffloadContext(arch, arch.cores)
    program = HostProgram.read(Path(name), kernel.text().encode(), context)
    found = dict[str, list[CallCounts]]()
    sites = set[int]()
    for schedule in FIGURE.schedules:
        lowered = program.lowered(OFFLOADS[schedule]["passes"].split(","), context, "cim")
        sites.add(lowered.sites)
        chips = [changed_chip(arch, changes) for changes in FIGURE.points]
        found[schedule] = [count(lowered, chip, arch.cores) for chip in chips]
    times = [_ratios([(made[point].time_ps or 0) for made in found.values()]) for point in range(len(FIGURE.points))]
    tile, interchanged = (found[schedule][0] for schedule in ("tile", "interchange"))
    paper = _ratios([1 / gain for gain in OCC_GAINS[name]]) if name in OCC_GAINS else "-"
    share = offloaded_share(program, OFFLOADS["tile"]["passes"].split(","), context)
    cells = (
        f"`{name}`", f"{kernel.size}" + (f", executed at {kernel.executed}" if kernel.executed else ""),
        ", ".join(f"{made} of {kernel.sites}" for made in sites), f"{tile.counts.writes:,}",
        f"{interchanged.counts.writes:,}", *times, paper, f"{share:.1%}", f"{tile.use:.3g}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _ratios(times: list[float]) -> str:
    first, *others = times
    return " / ".join(f"{first / time:.3g}" for time in others)


def main() -> None:
    """Print the table."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}", *map(row, KERNELS)]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
