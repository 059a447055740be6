"""What a run costs with the number of its cores and hosts, agents standing for hosts: figures, and a model of them."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from launch.bench.probe import BenchError, probe
from launch.bench.processes import PROC, proportional_bytes, running_seconds
from launch.bench.programs import RESULT, went_round, write_ring
from launch.chips.power import ProcessChip, power_on
from launch.machines.hosts.hosts import Hosts
from launch.system.process_state import descendants

PATIENCE = 900.0  # seconds
QUIET = 3.0  # seconds in which nothing happens but beats
NODE, ZYGOTE, CORE = "the memory node", "the zygote process", "core"  # beginnings of names of processes
REST = "agents"  # and the processes that fork zygotes
KINDS = (CORE, ZYGOTE, REST, NODE)


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """A run of `cores` on so many `agents` (0: without any), or agents alone (no cores).

    ready, gone: seconds of its start and its end; busy: processor seconds of both, of all processes; asked: seconds of
    one question to all hosts, one after the other; memory: bytes by kind of process, shared pages in equal parts;
    files: most open files of a process of each kind, and of the launcher; beats: processor seconds in a second in which
    nothing happens, of the launcher and of one agent.
    """

    cores: int
    agents: int
    ready: float
    gone: float
    busy: float
    asked: float
    memory: Mapping[str, int]
    files: Mapping[str, int]
    beats: Sequence[float]


def run_figures(cores: int, agents: int) -> ScaleFigures:
    """A run in a fresh process, whose messages are checked; raises BenchError."""
    return ScaleFigures(**probe(run_measured, cores=cores, agents=agents).result)


def idle_figures(agents: int) -> ScaleFigures:
    """Agents without a run, in a fresh process; raises BenchError."""
    return ScaleFigures(**probe(idle_measured, agents=agents).result)


def run_measured(cores: int, agents: int) -> dict[str, Any]:
    """The fields of `ScaleFigures` of a run, measured in this process."""
    over: dict[str, Any] = {"hosts": f"local:{agents}", "join_timeout": PATIENCE} if agents else {"transport": "tcp"}
    with tempfile.TemporaryDirectory() as folder:
        image = write_ring(folder, cores)
        watch = _Watch()
        with power_on(image, timeout=PATIENCE, **over) as chip:
            watch.ready()
            if not np.array_equal(chip.run({})[RESULT], went_round(cores)):
                raise BenchError(f"{cores} cores on {agents} agents: a message was wrong, see `emu stress ring`")
            began = time.perf_counter()
            groups = _groups(chip)
            watch.look(groups, time.perf_counter() - began)
    return {"cores": cores, "agents": agents, **watch.figures()}


def idle_measured(agents: int) -> dict[str, Any]:
    """The fields of `ScaleFigures` of agents without a run, measured in this process."""
    watch = _Watch()
    with Hosts(f"local:{agents}", PATIENCE) as hosts:
        hosts.join()
        watch.ready()
        began = time.perf_counter()
        for agent in hosts.agents:
            agent.ask("pid", PATIENCE)
        watch.look({REST: descendants(os.getpid())}, time.perf_counter() - began)
    return {"cores": 0, "agents": agents, **watch.figures()}


def _groups(chip: ProcessChip) -> dict[str, list[int]]:
    """The processes of a run by kind; raises BenchError for cores that have none."""
    known = chip.processes
    groups = {kind: [process for name, process in known.items() if name.startswith(kind)] for kind in KINDS}
    groups[REST] = sorted(set(descendants(os.getpid())).difference(known.values()))
    if len(groups[CORE]) < chip.cores:
        raise BenchError(f"{chip.cores - len(groups[CORE])} of {chip.cores} cores are not told of: is a host too busy?")
    return groups


@dataclass(slots=True)
class _Watch:
    """Notes what this process and those below it cost, from now until all of them have ended."""

    began: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=lambda: _cpu())
    found: dict[str, Any] = field(default_factory=dict)
    ending: float = 0.0

    def ready(self) -> None:
        """The start is over."""
        self.found["ready"] = time.perf_counter() - self.began

    def look(self, groups: Mapping[str, Sequence[int]], asked: float) -> None:
        """Look at the processes of each group while nothing happens; then the end begins."""
        rest = groups.get(REST, ())
        before, at = (running_seconds(os.getpid()), _sum(rest)), time.perf_counter()
        time.sleep(QUIET)
        passed, after = time.perf_counter() - at, (running_seconds(os.getpid()), _sum(rest))
        agents = max(1, len(rest) // 2)  # each with the process that forks its zygotes
        self.found |= {
            "asked": asked,
            "memory": {kind: sum(map(proportional_bytes, own)) for kind, own in groups.items()}
            | {"launcher": proportional_bytes(os.getpid())},
            "files": {kind: max(map(_files, own), default=0) for kind, own in groups.items()}
            | {"launcher": _files(os.getpid())},
            "beats": [(after[0] - before[0]) / passed, (after[1] - before[1]) / passed / agents],
        }
        self.ending = time.perf_counter()

    def figures(self) -> dict[str, Any]:
        """What was found, once all have ended."""
        used = _cpu() - self.cpu
        return {**self.found, "gone": time.perf_counter() - self.ending, "busy": used}


def _cpu() -> float:
    """Processor seconds of this process and of all below it that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _sum(processes: Iterable[int]) -> float:
    return sum(map(running_seconds, processes))


def _files(process: int) -> int:
    return len(os.listdir(PROC / str(process) / "fd"))  # noqa: PTH208


@dataclass(frozen=True, slots=True)
class ScaleModel:
    """Least squares over runs: what is there anyway, what each agent adds, and each core."""

    fixed: float
    agent: float
    core: float

    @classmethod
    def of(cls, runs: Sequence[ScaleFigures], values: Sequence[float]) -> ScaleModel:
        """The model of one value of each run, relative errors alike; runs have to differ in cores and in agents."""
        weights = 1 / np.array(values)
        terms = np.array([[1, run.agents, run.cores] for run in runs]) * weights[:, None]
        found = np.linalg.lstsq(terms, np.ones(len(runs)))[0]
        return cls(*found.tolist())
