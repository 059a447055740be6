"""Runs a chip in this process: all cores round-robin, without processes and sockets."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from emu.core.engines.core import Core
from emu.core.products.threads import one_blas_thread
from emu.core.trap import INIT_SAMPLE
from emu.errors import EmuError
from emu.image.reader import Image, on_chip, open_image
from emu.image.segments import refuse_segments
from emu.noc.in_process.queues import Fabric
from emu.noc.in_process.round_robin import ChipDeadlocked, ChipTrapped, OutOfTime, RoundRobin
from emu.noc.memory.global_memory import SampleMemories
from emu.noc.memory.read_only import ReadOnlyMemory
from emu.noc.ports.port import FlowControl
from emu.noc.ports.resumable_core import ResumableCore
from emu.program.program import Program
from launch.chips.chip import BoundaryTensors, Chip, SampleResult, check_engine, idle_cores, kept_buffers
from launch.chips.programs import LazyPrograms
from launch.processes.observed_memory import private_memories
from launch.processes.observer import Observation
from launch.processes.options import RunOptions
from launch.supervision.errors import CoreTrapped, Deadlock, RunTimeout
from launch.supervision.leftover_messages import LeftoverCheck
from launch.supervision.timeouts import check_timeout
from launch.system.watchdog import Watchdog


class SequentialChip(Chip):
    """A chip whose cores take turns; one sample is finished before the next one begins.

    Between two samples `resumables`, the cores with a program, may be inspected.
    """

    def __init__(
        self,
        image: Image,
        options: RunOptions,
        keep: Collection[str],
        observations: Sequence[Observation] = (),
    ) -> None:
        super().__init__(image.manifest)
        self.cores = len(image.cores) + len(idle_cores(image, options.cores))
        self.cores_with_program = tuple(image.cores)
        self._timeout = options.timeout
        self._watchdog = Watchdog(options.timeout, OutOfTime)
        self._tensors = BoundaryTensors(image.manifest)
        self._memories = SampleMemories(image.manifest.global_size, ReadOnlyMemory(image.read_only()))
        self._fabric = Fabric(FlowControl.parse(options.flow), self._memories.of)
        programs = LazyPrograms(image)
        kept = kept_buffers(programs, keep)
        resumables = {
            core: Core(program, image.arch, image.weights(core), options.engine, kept.get(core, ()))
            for core, program in programs.items()
        }
        self.resumables: Mapping[int, Core] = resumables
        self._observations = observations
        self._scheduler = RoundRobin(_observed(resumables, programs, observations), programs, self._fabric)
        self._leftovers = LeftoverCheck(programs, image.arch)
        self._next = 0
        self._run("init", INIT_SAMPLE)

    @property
    def observed(self) -> dict[str, Any]:
        """The observations of the run so far, by name."""
        return {name: value for observation in self._observations for name, value in observation.observed().items()}

    @property
    def stepped_loops(self) -> dict[int, int]:
        """Per core, where there are some, the loops that had to be stepped for lack of a plan."""
        counts = {core: resumable.statistics.stepped_loops for core, resumable in self.resumables.items()}
        return {core: count for core, count in counts.items() if count}

    def _results(self, samples: Iterable[Mapping[str, np.ndarray]]) -> Iterator[SampleResult]:
        """The results of all samples, in order; raises EmuErrors."""
        first = self._next
        for inputs in samples:
            sample = self._next
            memory = self._memories.open(sample)
            for address, array in self._tensors.encode(inputs):
                memory.write(address, array.reshape(-1).view(np.uint8).data)
            self._next += 1
            self._fabric.captures.clear()
            self._run("main", sample)
            self._memories.drop(sample)
            ranges = self._tensors.ranges
            outputs = self._tensors.decode(memory.parts(ranges), memory.unwritten(ranges), sample)
            yield SampleResult(sample - first, outputs, dict(self._fabric.captures))

    def _run(self, section: str, sample: int) -> None:
        try:
            self._take_turns(section, sample)
        except EmuError as error:
            self._failure = error  # the cores are in the middle of a sample
            self._watchdog.close()
            raise

    def turn_off(self) -> None:
        """Reject all samples from now on."""
        super().turn_off()
        self._watchdog.close()

    def _take_turns(self, section: str, sample: int) -> None:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        try:
            with self._watchdog:  # a core may compute for long between two turns
                self._scheduler.run(section, sample, deadline)
            if section == "main" and self._fabric.unsettled:
                self._leftovers.look()
        except ChipTrapped as trapped:
            raise CoreTrapped(trapped.records) from None
        except ChipDeadlocked as deadlocked:
            raise Deadlock(deadlocked.report) from None
        except OutOfTime:
            raise RunTimeout(self._timeout or 0, self._scheduler.unfinished()) from None


@contextmanager
def power_on_sequential(
    out: Path | str,
    options: RunOptions | None = None,
    *,
    keep: Collection[str] = (),
    observers: Sequence[Observation] = (),
    **named: Any,
) -> Iterator[SequentialChip]:
    """Power on the image directory `out` in this process; see `launch.chips.power.power_on` for the parameters.

    Used are the options `cores`, `flow`, `engine` and `timeout`, and of observers the hook `resumable`. While the chip
    is on, the BLAS of this process is limited to one thread, as in core processes.
    """
    options = replace(options or RunOptions(sequential=True), **named)
    check_engine(options.engine)
    check_timeout(options.timeout)
    image = on_chip(open_image(Path(out)), options.analog)
    refuse_segments(image)
    with one_blas_thread(), ExitStack() as stack:
        for observation in observers:
            stack.enter_context(observation)
        chip = SequentialChip(image, options, keep, observers)
        try:
            yield chip
        finally:
            chip.turn_off()


def _observed(
    resumables: Mapping[int, Core], programs: Mapping[int, Program], observations: Sequence[Observation]
) -> dict[int, ResumableCore]:
    """`resumables`, wrapped by the observers if there are any."""
    driven: dict[int, ResumableCore] = dict(resumables)
    for observation in observations:
        values = observation.plan(programs)
        (memory,) = private_memories([observation.row], len(resumables))
        observation.begins(memory, ())
        observer = observation.observer(values, memory, list(resumables))
        driven = {core: observer.resumable(core, resumable) for core, resumable in driven.items()}
    return driven
