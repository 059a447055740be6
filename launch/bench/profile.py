"""Where the time of one image goes: products, copies, Python, network, waiting; over all processes of a chip."""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emu.output.scratch import ScratchFolder
from launch.bench.clock import seconds
from launch.bench.core_clock import GEMM, CoreClock, Line, Tallied
from launch.bench.machine import available_processors
from launch.bench.processes import cpu_seconds, idle_seconds
from launch.bench.workshop import Workshop, stored_inputs
from launch.chips.power import ProcessChip, power_on
from launch.system.process_state import descendants

WARM_UP = 3
TIMEOUT = 300  # seconds without a result
COPIES = ("lmv", "vmv", "lldi", "vcvt")  # kernels that only move bytes


@dataclass(frozen=True, slots=True)
class Profile:
    """Milliseconds per image. `latency` with clocks, `plain` without; `parts` sum to processors x latency."""

    mode: str
    latency: float
    plain: float
    processors: int
    parts: Mapping[str, float]
    kernels: Mapping[str, tuple[float, float]]  # name -> milliseconds and calls per image
    cores: Mapping[int, Mapping[str, float]]  # busiest first

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "mode": self.mode,
            "latency_ms": self.latency,
            "plain_latency_ms": self.plain,
            "processors": self.processors,
            "parts_ms": dict(self.parts),
            "kernels": {name: {"ms": ms, "calls": calls} for name, (ms, calls) in self.kernels.items()},
            "cores": {str(core): dict(values) for core, values in self.cores.items()},
        }


def profile(work: Workshop, network: str, cores: int) -> list[Profile]:
    """Profiles of one image at a time and of a stream, in this order."""
    image = work.image(network, cores)
    inputs = stored_inputs(image)
    count = 4 if work.settings.quick else 2 * work.settings.runs
    modes: dict[str, Callable[[ProcessChip], float]] = {
        "one at a time": lambda chip: statistics.mean(seconds(lambda: chip.run(inputs)) for _ in range(count)),
        "pipelined": lambda chip: seconds(lambda: [None for _ in chip.stream([inputs] * count)]) / count,
    }
    return [_profile(mode, run, image, inputs, cores, count) for mode, run in modes.items()]


def _profile(
    mode: str, run: Callable[[ProcessChip], float], image: Path, inputs: dict[str, np.ndarray], cores: int, count: int
) -> Profile:
    with power_on(image, cores=cores, timeout=TIMEOUT) as chip:
        _warm(chip, inputs)
        plain = run(chip)
    with ScratchFolder("profile") as folder:
        clocked = Tallied(CoreClock, folder)
        with power_on(image, cores=cores, timeout=TIMEOUT, observers=[clocked]) as chip:
            _warm(chip, inputs)
            before = _others(clocked)
            latency = run(chip)
            after = _others(clocked)
        spent = {core: _spent(lines[-1 - count], lines[-1], count) for core, lines in clocked.lines().items()}
    others = {what: (after[what] - before[what]) / count * 1e3 for what in after}
    return _summary(mode, latency * 1e3, plain * 1e3, spent, others)


def _warm(chip: ProcessChip, inputs: dict[str, np.ndarray]) -> None:
    for _ in range(WARM_UP):
        chip.run(inputs)
    time.sleep(0.2)  # the last core may still be writing its line


def _others(clocked: Tallied) -> dict[str, float]:
    """Processor seconds so far of the launcher, of its children that are no cores, and of nobody."""
    own = {lines[-1]["process"] for lines in clocked.lines().values()}
    children = [process for process in descendants(os.getpid()) if process not in own]
    return {
        "launcher": time.process_time(),
        "memory node": sum(cpu_seconds(process) for process in children),
        "idle": idle_seconds(),
    }


def _spent(first: Line, last: Line, count: int) -> Line:
    """Milliseconds and calls per image between two lines of a core."""
    names = last["seconds"]
    return {
        **{what: (last[what] - first[what]) / count * 1e3 for what in ("thread", "all", "delay")},
        "seconds": {name: (names[name] - first["seconds"].get(name, 0)) / count * 1e3 for name in names},
        "calls": {name: (last["calls"][name] - first["calls"].get(name, 0)) / count for name in names},
    }


def _summary(mode: str, latency: float, plain: float, spent: Mapping[int, Line], others: dict[str, float]) -> Profile:
    times: dict[str, float] = defaultdict(float)
    calls: dict[str, float] = defaultdict(float)
    for core in spent.values():
        for name, value in core["seconds"].items():
            times[name] += value
            calls[name] += core["calls"][name]
    engine, gemm, product = (times.pop(name, 0.0) for name in ("engine", GEMM, "mvmul"))
    thread, every = (sum(core[what] for core in spent.values()) for what in ("thread", "all"))
    copies = sum(value for name, value in times.items() if name in COPIES)
    vector = sum(times.values()) - copies
    processors = available_processors()
    parts = {
        "products (GEMM)": gemm,
        "around products: gathering rows, partial sums, ReLU": product - gemm,
        "copies between places of local memory": copies,
        "vector units": vector,
        "engine, in Python": engine - product - copies - vector,
        "network in the cores: Python, system calls, copies": thread - engine,
        "ZeroMQ's threads in the cores": every - thread,
        "memory node": others["memory node"],
        "launcher: encoding, decoding": others["launcher"],
    }
    rest = processors * latency - sum(parts.values())
    idle = min(rest, others["idle"] * processors / (os.cpu_count() or processors))
    parts["waiting: idle processors"] = idle
    parts["the system and other programs"] = rest - idle
    kernels = {name: (value, calls[name]) for name, value in times.items()} | {"mvmul": (product, calls["mvmul"])}
    busiest = sorted(spent, key=lambda core: -spent[core]["all"])
    return Profile(
        mode,
        latency,
        plain,
        processors,
        parts,
        dict(sorted(kernels.items(), key=lambda item: -item[1][0])),
        {core: {what: spent[core][what] for what in ("thread", "all", "delay")} for core in busiest},
    )
