"""Measures what cores and hosts cost and writes it into a page: `python -m launch.bench.scale_page PAGE`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from emu.errors import EmuError, InputError
from launch.bench.machine import machine, sentence
from launch.bench.scale import CORE, NODE, REST, ZYGOTE, ScaleFigures, ScaleModel, idle_figures, run_figures
from launch.system.process_limits import available_memory
from launch.text.answer import Table
from launch.text.markdown_page import check_page, markdown_table, write_blocks
from launch.text.units import size_text

CORES, AGENTS, IDLE = (64, 256, 1024, 4096), (0, 1, 2, 4, 8), (8, 64, 256)
OF_CORE = 5 << 20  # bytes of a core of such a run, and more than it takes
BLOCK = "scale"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and write; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, help="a page with a block for it")
    parser.add_argument("--cores", type=_numbers(1), default=CORES, help="of runs, such as 64,256")
    parser.add_argument("--agents", type=_numbers(0), default=AGENTS, help="of runs, such as 0,4")
    parser.add_argument("--idle", type=_numbers(1), default=IDLE, help="numbers of agents without a run")
    given = parser.parse_args(arguments)
    try:
        check_page(given.page, [BLOCK])
        _check_memory(max(given.cores))
        about = sentence(machine())
        idle = [_announced(idle_figures(agents)) for agents in given.idle]
        runs = [_announced(run_figures(cores, agents)) for cores in given.cores for agents in given.agents]
        write_blocks(given.page, {BLOCK: block(about, runs, idle)})
    except EmuError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def block(about: str, runs: Sequence[ScaleFigures], idle: Sequence[ScaleFigures]) -> str:
    """What the page holds: the machine, both tables, and the model of the runs if there are enough of them."""
    parts = [f"{about}.", markdown_table(runs_table(runs)), *models(runs), markdown_table(idle_table(idle))]
    return "\n\n".join(parts)


def runs_table(runs: Sequence[ScaleFigures]) -> Table:
    """A run in each row."""
    columns = (
        *("cores", "agents", "ready, s", "processor time, s", "gone, s"),
        *("a core, MB", "zygotes, MB", "agents, MB", "launcher and memory node, MB"),
        *("files of a core", "of the memory node", "of the launcher"),
    )
    rows = [
        (
            *(f"{run.cores:,}", run.agents or "none", f"{run.ready:.1f}", f"{run.busy:.1f}", f"{run.gone:.1f}"),
            *(_mega(run.memory[CORE] / run.cores), _mega(run.memory[ZYGOTE]), _mega(run.memory[REST])),
            *(
                _mega(run.memory["launcher"] + run.memory[NODE]),
                run.files[CORE],
                run.files[NODE],
                run.files["launcher"],
            ),
        )
        for run in runs
    ]
    return Table("", columns, rows, "r" * len(columns))


def idle_table(idle: Sequence[ScaleFigures]) -> Table:
    """A number of agents in each row."""
    columns = (
        *("agents", "joined, s", "processor time, s", "gone, s", "memory of one, MB", "all asked in turns, ms"),
        *("beats, launcher", "beats, an agent", "files of the launcher"),
    )
    rows = [
        (
            *(each.agents, f"{each.ready:.1f}", f"{each.busy:.1f}", f"{each.gone:.1f}"),
            *(_mega(each.memory[REST] / each.agents), f"{1e3 * each.asked:.0f}"),
            *(f"{beats:.2%}" for beats in each.beats),
            each.files["launcher"],
        )
        for each in idle
    ]
    return Table("", columns, rows, "r" * len(columns))


def models(runs: Sequence[ScaleFigures]) -> list[str]:
    """What follows from runs that differ in both cores and agents."""
    if len({run.cores for run in runs}) < 2 or len({run.agents for run in runs}) < 2:
        return []
    busy = ScaleModel.of(runs, [run.busy for run in runs])
    memory = ScaleModel.of(runs, [sum(run.memory.values()) / 1e6 for run in runs])
    return [
        f"* processor time of a run that does little: {busy.fixed:.2f} s, {busy.agent:.2f} s for each agent, "
        f"{1e3 * busy.core:.1f} ms for each core\n"
        f"* memory: {memory.fixed:.0f} MB, {memory.agent:.0f} MB for each agent, {memory.core:.2f} MB for each core"
    ]


def _announced(figures: ScaleFigures) -> ScaleFigures:
    print(f"{figures.cores} cores, {figures.agents} agents: {figures.ready:.1f} s", file=sys.stderr, flush=True)
    return figures


def _mega(nbytes: float) -> str:
    return f"{nbytes / 1e6:.1f}"


def _numbers(least: int) -> Callable[[str], tuple[int, ...]]:
    def numbers(text: str) -> tuple[int, ...]:
        found = tuple(map(int, text.split(",")))
        if min(found) < least:
            raise argparse.ArgumentTypeError(f"{text!r} has a number below {least}")
        return found

    return numbers


def _check_memory(cores: int) -> None:
    free = available_memory()
    if cores * OF_CORE > free:
        raise InputError(
            f"{cores} cores take up to {size_text(cores * OF_CORE)}, and {size_text(free)} are free: measure fewer, "
            "or end other processes"
        )


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # who has installed us does not compile at every start
    sys.exit(main())
