"""One run: power a chip on, stream samples through it, collect outputs, kept tensors and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from launch.intermediate import KeptTensor, stack
from launch.samples import each_sample, sample_count


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run: see the options of `emu launch`. `timeout` in seconds, None waits for ever."""

    cores: int | None = None
    sequential: bool = False
    transport: str = "ipc"
    flow: str = "rendezvous"
    engine: str = "batch"
    timeout: float | None = None
    log_dir: Path | None = None
    seed: int = 0
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came out: outputs and kept tensors (samples,) + shape, of the first repetition; times in seconds."""

    outputs: dict[str, np.ndarray]
    kept: dict[str, np.ndarray]
    samples: int
    repeat: int
    repeats_equal: bool  # every repetition gave the same bits
    cores: int
    cores_with_program: int
    start_seconds: float
    run_seconds: float


@dataclass
class _Collector:
    """Gathers the samples of the first repetition and compares the later ones with them."""

    count: int
    kept: Sequence[KeptTensor]
    outputs: dict[str, list[np.ndarray]] = field(default_factory=dict)
    tensors: dict[str, list[np.ndarray]] = field(default_factory=dict)
    seen: int = 0
    equal: bool = True

    def add(self, outputs: Mapping[str, np.ndarray], captures: Mapping[tuple[int, int], bytes]) -> None:
        first = self.seen < self.count
        for name, array in outputs.items():
            if first:
                self.outputs.setdefault(name, []).append(array)
            else:
                self.equal &= array.tobytes() == self.outputs[name][self.seen % self.count].tobytes()
        for tensor in self.kept if first else ():
            self.tensors.setdefault(tensor.name, []).append(tensor.assemble(captures))
        self.seen += 1


def run(
    image: Path,
    inputs: Mapping[str, np.ndarray],
    options: RunOptions,
    kept: Sequence[KeptTensor] = (),
    advance: Callable[[], None] = lambda: None,
) -> RunResult:
    """Run all samples of checked `inputs`, `options.repeat` times over; raises EmuErrors of the machine."""
    collector = _Collector(sample_count(inputs), kept)
    began = time.monotonic()
    with _power_on(image, options, kept) as chip:
        started = time.monotonic()
        for result in chip.stream(each_sample(inputs, options.repeat)):
            collector.add(result.outputs, result.captures)
            advance()
        ended = time.monotonic()
        cores, busy = _size(chip.cores), _size(chip.cores_with_program)
    return RunResult(
        stack(collector.outputs),
        stack(collector.tensors),
        collector.count,
        options.repeat,
        collector.equal,
        cores,
        busy,
        started - began,
        ended - started,
    )


def _size(cores: int | Sequence[int]) -> int:
    return cores if isinstance(cores, int) else len(cores)


def _power_on(image: Path, options: RunOptions, kept: Sequence[KeptTensor]) -> AbstractContextManager[Any]:
    common: dict[str, Any] = {
        "cores": options.cores,
        "flow": options.flow,
        "engine": options.engine,
        "keep": [tensor.name for tensor in kept],
        "timeout": options.timeout,
    }
    if options.sequential:
        from launch.sequential import power_on_sequential

        return power_on_sequential(image, **common)
    from launch.power import power_on

    return power_on(image, transport=options.transport, log_dir=options.log_dir, seed=options.seed, **common)
