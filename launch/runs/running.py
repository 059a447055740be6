"""One run: power a chip on, stream samples through it, collect outputs, kept tensors and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from emu.image.npz import read_npz
from emu.image.segments import is_segmented
from launch.chips.chip import Chip, SampleResult
from launch.golden.intermediate import KeptTensor, stack
from launch.processes.observer import Observation
from launch.processes.options import RunOptions
from launch.processes.zygote_process import Zygotes
from launch.runs.details import who_runs
from launch.runs.preparing import PreparedJob
from launch.runs.result import RunResult
from launch.samples.binding import kept_key, output_key
from launch.samples.inputs import each_sample
from launch.samples.store import SampleStore
from launch.supervision.stopped_processes import Notice
from launch.text.progress import Advance


@dataclass(frozen=True, slots=True)
class RunListeners:
    """Callbacks and observers of a run."""

    advance: Advance = field(default_factory=Advance)  # of each sample that is finished
    notice: Notice | None = None  # of processes that are stopped
    details: Notice | None = None  # which process is which core
    observers: Sequence[Observation] = ()  # put around cores
    sample: Callable[[int, Mapping[str, np.ndarray]], None] | None = None  # with number and kept tensors of each one


@dataclass
class _Collector:
    """Gathers the samples of the first repetition and compares the later ones with them.

    Kept tensors are those of the first trial; `sample` gets those of all.
    """

    count: int  # of all trials
    kept: Sequence[KeptTensor]
    samples: int  # of a trial
    sample: Callable[[int, Mapping[str, np.ndarray]], None] | None = None
    store: SampleStore | None = None  # holds the samples instead of memory
    names: Sequence[str] = ()  # of the outputs
    outputs: dict[str, list[np.ndarray]] = field(default_factory=dict)
    tensors: dict[str, list[np.ndarray]] = field(default_factory=dict)
    seen: int = 0
    equal: bool = True

    def add(self, outputs: Mapping[str, np.ndarray], captures: Mapping[tuple[int, int], bytes]) -> None:
        if self.seen < self.count:
            self._keep(outputs, {tensor.name: tensor.assemble(captures) for tensor in self.kept})
        else:
            known = self._known(self.seen % self.count)
            self.equal &= all(array.tobytes() == known[name].tobytes() for name, array in outputs.items())
        self.seen += 1

    def known(self) -> None:
        """An earlier run has finished the next sample, which the store holds."""
        assert self.store is not None
        if self.sample is not None:
            arrays = self.store.read(self.seen)
            self.sample(self.seen, {tensor.name: arrays[kept_key(tensor.name)] for tensor in self.kept})
        self.seen += 1

    def _keep(self, outputs: Mapping[str, np.ndarray], tensors: Mapping[str, np.ndarray]) -> None:
        if self.sample is not None:
            self.sample(self.seen, tensors)
        if self.store is not None:
            arrays = {output_key(name): array for name, array in outputs.items()}
            self.store.append(arrays | {kept_key(name): array for name, array in tensors.items()})
            return
        for into, arrays in ((self.outputs, outputs), (self.tensors, tensors if self.seen < self.samples else {})):
            for name, array in arrays.items():
                into.setdefault(name, []).append(array)

    def _known(self, index: int) -> Mapping[str, np.ndarray]:
        if self.store is not None:
            known = self.store.read(index)
            return {name: known[output_key(name)] for name in self.names}
        return {name: arrays[index] for name, arrays in self.outputs.items()}

    def result(self) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Outputs and kept tensors of all samples; with a store, views of the file that it has written."""
        if self.store is None:
            return stack(self.outputs), stack(self.tensors)
        self.store.finish()
        whole = read_npz(self.store.out)
        kept = {t.name: self._column(t.name) if t.name in self.names else whole[t.name] for t in self.kept}
        first = {name: array[: self.samples] for name, array in kept.items()}
        return {name: whole[name] for name in self.names}, first

    def _column(self, name: str) -> np.ndarray:
        """A kept tensor whose place in the file an output of its name, of another shape, has taken."""
        assert self.store is not None
        return np.stack([self.store.read(k)[kept_key(name)] for k in range(self.count)])


def run(
    prepared: PreparedJob,
    options: RunOptions,
    zygotes: Zygotes | None = None,
    store: SampleStore | None = None,
    followers: RunListeners | None = None,
) -> RunResult:
    """Run all samples, as often as the job says, under `options`; raises EmuErrors of the machine.

    Where samples are steps, the chip keeps states from one to the next, and every repetition begins with their first
    values. With a `store`, samples go there as they finish, and those that it has already are not run (the first time),
    unless they are of a trial that is not finished: random numbers depend on the number of a sample in its trial.
    `zygotes`: as of `power_on`.
    """
    followers = followers or RunListeners()
    advance, repeat = followers.advance, prepared.job.repeat
    resumed, again = store.count if store else 0, 0
    names = [tensor.name for tensor in store.outputs] if store else []
    collector = _Collector(
        prepared.all_samples, prepared.kept, prepared.samples, followers.sample, store=store, names=names
    )
    for _ in range(resumed):
        collector.known()
        advance()
    if options.analog and resumed:
        from launch.analog.described import after_trials

        trials, again = divmod(resumed, prepared.samples)
        options = replace(options, analog=after_trials(options.analog, trials))
    began = time.monotonic()
    with _power_on(prepared, options, zygotes, followers) as chip:
        started = time.monotonic()
        advance.runs(chip.boards)
        if followers.details is not None and not options.sequential:
            for line in who_runs(chip.processes):
                followers.details(line)
        for place, result in enumerate(_results(chip, prepared, resumed - again)):
            if place >= again:
                collector.add(result.outputs, result.captures)
                advance()
        ended = time.monotonic()
        cores, busy = chip.cores, len(chip.cores_with_program)
        observed, stepped, on_hosts = chip.observed, dict(chip.stepped_loops), chip.on_hosts
    outputs, tensors = collector.result()
    return RunResult(
        outputs,
        tensors,
        collector.count,
        repeat,
        collector.equal,
        cores,
        busy,
        started - began,
        ended - started,
        resumed,
        observed,
        stepped,
        on_hosts,
    )


def _results(chip: Chip, prepared: PreparedJob, resumed: int) -> Iterator[SampleResult]:
    """The results of all samples, repetition after repetition, without the first `resumed`."""
    inputs, repeat = prepared.inputs, prepared.job.repeat * prepared.job.trials
    if prepared.steps is None:
        yield from chip.stream(each_sample(inputs, repeat, resumed))
        return
    for _ in range(repeat):
        chip.reset(prepared.steps.initial)
        yield from chip.steps(each_sample(inputs))


def _power_on(
    prepared: PreparedJob, options: RunOptions, zygotes: Zygotes | None, followers: RunListeners
) -> AbstractContextManager[Any]:
    image, keep = prepared.job.out, [tensor.name for tensor in prepared.kept]
    processes = {"notice": followers.notice, "zygotes": zygotes, "starting": followers.advance.starting}
    if is_segmented(image):
        from launch.chips.segmented import power_on_segments

        return power_on_segments(image, options, keep=keep, **({} if options.sequential else processes))
    if options.sequential:
        from launch.chips.sequential import power_on_sequential

        return power_on_sequential(image, options, keep=keep, observers=followers.observers)
    from launch.chips.power import power_on

    return power_on(image, options, keep=keep, observers=followers.observers, **processes)
