"""Processor time of messages and instructions in running chips, beside the bare calls; and how it grows."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from emu.output.scratch import ScratchFolder
from emu.program.program import Program
from launch.bench.baselines.raw_chain import RawChain
from launch.bench.boundaries import BoundaryCounter, last_calls
from launch.bench.core_clock import Tallied
from launch.bench.processes import sleeps, thread_seconds
from launch.bench.programs import handed_on, recurrence, write_programs
from launch.chips.power import ProcessChip, power_on
from launch.processes.observer import Observation

TIMEOUT = 300  # seconds
LENGTH = 256  # elements of a vector


@dataclass(frozen=True, slots=True)
class MeasuredCost:
    """Seconds that one message or instruction takes: of processors, in all processes; passing; and its wake-ups.

    `own` are those of processors in the first threads of the processes: the others are ZeroMQ's.
    """

    processor: float
    own: float
    wall: float
    wakes: float


@dataclass(frozen=True, slots=True)
class Load:
    """What a chip of `cores` cores is given: `samples` in a stream, in each of them `rounds` on every core.

    A round hands `size` bytes on to the next core (`message`), or is a trip of two instructions (`instruction`).
    """

    kind: str
    cores: int
    rounds: int
    samples: int = 1
    size: int = 64

    @property
    def units(self) -> int:
        """Messages or instructions of a run."""
        return self.cores * self.rounds * self.samples * (1 if self.kind == "message" else 2)

    def programs(self) -> Iterator[Program]:
        """The programs of the cores."""
        if self.kind == "message":
            return handed_on(self.cores, self.size, self.rounds)
        return recurrence(self.cores, self.rounds, LENGTH)


def spent(work: Callable[[], object], processes: Iterable[int], units: int) -> MeasuredCost:
    """What `processes` spend on `work`, for each of its `units`."""
    chosen = list(processes)
    before, began = _clocks(chosen), time.perf_counter()
    work()
    wall = time.perf_counter() - began
    processor, own, wakes = (after - then for after, then in zip(_clocks(chosen), before, strict=True))
    return MeasuredCost(processor / units, own / units, wall / units, wakes / units)


def _clocks(processes: Sequence[int]) -> tuple[float, float, int]:
    """Processor seconds of all threads so far, of the first threads, and how often threads were woken."""
    threads = {process: thread_seconds(process) for process in processes}
    processor, own = sum(sum(each.values()) for each in threads.values()), sum(each[k] for k, each in threads.items())
    return processor, own, sum(map(sleeps, processes))


@contextmanager
def loaded(load: Load, observers: Sequence[Observation] = ()) -> Generator[tuple[ProcessChip, Callable[[], None]]]:
    """A chip that is warm, and a function that runs the load on it once."""
    with (
        tempfile.TemporaryDirectory() as folder,
        power_on(
            write_programs(folder, load.programs(), load.cores), cores=load.cores, timeout=TIMEOUT, observers=observers
        ) as chip,
    ):

        def run(samples: int = load.samples) -> None:
            for _ in chip.stream([{}] * samples):
                pass

        run(2)  # the first checks what it reads, the second is prepared
        yield chip, run


def of_chips(loads: Sequence[dict[str, Any]], runs: int) -> list[dict[str, float]]:
    """The medians of `MeasuredCost` under each of the `loads`, whose chips run in turns."""
    with ExitStack() as stack:
        works = []
        for load in (Load(**each) for each in loads):
            chip, run = stack.enter_context(loaded(load))
            works.append(partial(spent, run, chip.processes.values(), load.units))
        return _in_turns(works, runs)


def beside_bare(cores: int, size: int, rounds: int, runs: int) -> list[dict[str, float]]:
    """The medians of `MeasuredCost` of a message on a chip, and in a bare chain of as many processes."""
    load = Load("message", cores, rounds, size=size)
    with RawChain(cores, size) as raw, loaded(load) as (chip, run):
        ours = partial(spent, run, chip.processes.values(), load.units)
        bare = partial(spent, partial(raw.go, rounds), raw.children, load.units)
        return _in_turns([ours, bare], runs)


def _in_turns(works: Sequence[Callable[[], MeasuredCost]], runs: int) -> list[dict[str, float]]:
    turns = [[asdict(work()) for work in works] for _ in range(runs)]
    found = zip(*turns, strict=True)
    return [{name: statistics.median(each[name] for each in own) for name in own[0]} for own in found]


def boundary_calls(cores: int, size: int, rounds: int) -> dict[str, float]:
    """Calls per message at each of `BOUNDARIES`, by all cores of a ring."""
    load = Load("message", cores, rounds, size=size)
    with ScratchFolder("counts") as folder:
        counted = Tallied(BoundaryCounter, folder)
        with loaded(load, [counted]) as (_, run):
            run()
        return {name: calls / load.units for name, calls in last_calls(counted).items()}
