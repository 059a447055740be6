"""A stress test: its programs are generated, assembled into an image and run as `emu launch` runs any other."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.chaos.spec import Chaos
from emu.errors import InputError
from emu.noc.deadlock.waitfor import DeadlockReport
from emu.noc.ports.meter import Latency
from emu.noc.traffic.topology import Loads, Mesh, loads
from emu.output.scratch import ScratchFolder
from emu.stress.patterns import PATTERNS, phases_of
from emu.stress.programs import START, STATUS, write_workload
from emu.stress.workload import Workload, make_workload
from emu.wording import counted
from launch.chaos.series import Series, run_series
from launch.chips.chip import Chip
from launch.chips.power import power_on
from launch.machines.hosts.keeping import kept_hosts
from launch.processes.options import RunOptions
from launch.stress.metering import Metering
from launch.supervision.errors import Deadlock
from launch.supervision.stopped_processes import Notice

if TYPE_CHECKING:
    from launch.machines.host_cores import HostCores

CORES = 64  # unless told otherwise
SHOWN_EDGES = 3  # of a deadlock
MESSAGES = 2000  # of one sample, roughly, unless told otherwise


@dataclass(frozen=True, slots=True, kw_only=True)
class StressJob:
    """What `emu stress` was asked to do; `count` None chooses rounds for about `MESSAGES` messages."""

    pattern: str
    size: str = "64"
    count: int | None = None
    rate: float | None = None  # messages per second and core
    duration: float | None = None  # seconds
    options: RunOptions = field(default_factory=RunOptions)

    @property
    def cores(self) -> int:
        """Core processes."""
        return self.options.cores or CORES

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "options"}
        return {**own, **self.options.to_dict(), "cores": self.cores}

    def workload(self) -> Workload:
        """The messages of one sample; raises InputError."""
        count = self.count or (1 if PATTERNS.get(self.pattern, _ANY).deadlocks else self._rounds())
        return make_workload(self.pattern, self.cores, self.size, count, self.options.seed)

    def _rounds(self) -> int:
        phases = phases_of(self.pattern, self.cores, self.options.seed)
        per_round = sum(phase.repeat * len(phase.pairs) for phase in phases)
        return max(1, MESSAGES // per_round)


_ANY = PATTERNS["ring"]


@dataclass(frozen=True, slots=True)
class CoreMismatch:
    """A core whose report is not what it must be: words that differed, and whether checksum or count are wrong."""

    sample: int
    core: int
    words: int
    checksum: bool
    number: bool

    def __str__(self) -> str:
        parts = [f"{counted(self.words, 'word differs', 'words differ')}"] if self.words else []
        parts += ["the checksum of all that it received is wrong"] if self.checksum else []
        parts += ["its count of messages is wrong"] if self.number else []
        return f"core {self.core}, sample {self.sample}: {', '.join(parts)}"


@dataclass(slots=True)
class StressResult:
    """What a stress test found; times in seconds. `deadlock` is the report of one, `mesh` how the cores are laid."""

    job: StressJob
    workload: Workload
    mesh: Mesh
    samples: int = 0
    start_seconds: float = 0.0
    run_seconds: float = 0.0
    latency: Latency | None = None
    faults: list[CoreMismatch] = field(default_factory=list)
    deadlock: str = ""
    injected: dict[str, int] | None = None  # faults, by kind; None: no chaos
    on_hosts: HostCores | None = None  # which cores stood on which of several hosts
    _said: Any = field(default_factory=sha256)

    @property
    def digest(self) -> str:
        """SHA-256 of what all cores reported, and of the deadlock if there was one."""
        digest = self._said.copy()
        digest.update(self.deadlock.encode())
        return digest.hexdigest()

    def add(self, status: np.ndarray) -> None:
        """The reports of all cores after one sample: int32 [cores, 3]."""
        self.faults += judge(self.workload, self.samples, status)
        self._said.update(status.tobytes())
        self.samples += 1

    @property
    def messages(self) -> int:
        """Messages of all samples."""
        return self.samples * self.workload.messages

    @property
    def bytes(self) -> int:
        """Bytes of all samples."""
        return self.samples * self.workload.bytes

    @property
    def errors(self) -> int:
        """Reports of cores that are wrong; a deadlock that should have been is one, too."""
        return len(self.faults) + (PATTERNS[self.job.pattern].deadlocks and not self.deadlock)

    def loads(self) -> Loads:
        """Bytes over each link of the mesh, of all samples."""
        return loads(self.mesh, {pair: self.samples * size for pair, size in self.workload.traffic().items()})


def run_stress(job: StressJob, notice: Notice | None = None) -> StressResult:
    """Generate, run, verify; raises EmuErrors of the run (a deadlock that the pattern must have is none).

    `notice` is told of processes that are stopped.
    """
    workload = job.workload()
    result = StressResult(job, workload, Mesh(workload.mesh_width))
    began = time.monotonic()
    metering = Metering(job.rate or 0.0)
    options = replace(job.options, cores=None)  # the workload says which cores there are
    with _image(workload) as image:
        try:
            with power_on(image, options, notice=notice, scratch=str(image.parent), observers=[metering]) as chip:
                result.start_seconds, result.on_hosts = time.monotonic() - began, chip.on_hosts
                stream(chip, result)
                result.injected = chip.injected
        except Deadlock as deadlock:
            result.injected = deadlock.details.get("injected")
            if not PATTERNS[job.pattern].deadlocks:
                raise
            result.deadlock = _deadlock_text(deadlock.report)
            result.run_seconds = time.monotonic() - began - result.start_seconds
        result.latency = metering.latency()
    return result


def run_stress_series(job: StressJob, runs: int, quiet: bool = True) -> tuple[StressResult, Series]:
    """The undisturbed run and `runs` disturbed ones, each with a chaos seed of its own; raises EmuErrors as above."""
    if job.options.chaos is None or job.duration:
        raise InputError("--chaos-runs compares equal runs: give --chaos, and --count instead of --duration")

    def once(chaos: Chaos) -> tuple[str, Mapping[str, int]]:
        result = run_stress(_with(job, chaos))
        return result.digest, result.injected or {}

    with kept_hosts(job.options.hosts):
        first = run_stress(_with(job, None))
        return first, run_series(job.options.chaos, runs, first.digest, once, quiet)


def _with(job: StressJob, chaos: Chaos | None) -> StressJob:
    return replace(job, options=replace(job.options, chaos=chaos))


def stream(chip: Chip, result: StressResult) -> None:
    """One sample or, for a duration, one after the other until it is over."""
    began = time.monotonic()
    while True:
        start = np.array([[result.workload.first_number(result.samples)]], np.int32)
        status = chip.run({START: start})[STATUS].reshape(-1, 3)
        result.add(status)
        result.run_seconds = time.monotonic() - began
        if result.run_seconds >= (result.job.duration or 0):
            return


def _deadlock_text(report: DeadlockReport) -> str:
    """A deadlock in short: a cycle of many cores need not be read core by core."""
    if len(report.edges) <= SHOWN_EDGES:
        return str(report)
    first = "; ".join(map(str, report.edges[:SHOWN_EDGES]))
    return f"deadlock: {first}; and so on, {'a cycle' if report.cycle else 'a chain'} of {len(report.edges)} cores"


def judge(workload: Workload, sample: int, status: np.ndarray) -> list[CoreMismatch]:
    """The faults in what all cores report after `sample`: int32 [cores, 3]."""
    wrong = status != workload.expected(sample)
    return [
        CoreMismatch(sample, core, int(status[core, 0].astype(np.uint32)), bool(wrong[core, 1]), bool(wrong[core, 2]))
        for core in np.flatnonzero(wrong.any(axis=1)).tolist()
    ]


@contextmanager
def _image(workload: Workload) -> Iterator[Path]:
    """The workload's image in a temporary directory of its own."""
    with ScratchFolder("stress") as scratch:
        write_workload(scratch / "image", workload)
        yield scratch / "image"
