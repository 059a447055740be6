"""Trials of an image on a chip with its physics, in this process: for sweeps, calibration, and Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.image.reader import open_image
from launch.analog.counting import KEY, Counting
from launch.analog.described import chip_text
from launch.chips.sequential import power_on_sequential
from launch.golden.intermediate import KeptTensor, choose, kept_tensors, stack
from launch.processes.observer import Observation
from launch.processes.options import RunOptions
from launch.samples.inputs import each_sample, sample_count


@dataclass(frozen=True, slots=True)
class TrialResult:
    """What trials have made: outputs and kept tensors [trials, samples, *shape], counts of groups [groups, COUNTS]."""

    outputs: Mapping[str, np.ndarray]
    kept: Mapping[str, np.ndarray]
    counts: Mapping[int, np.ndarray]  # by core, as of `emu.analog.counts`


def run_trials(
    image: Path | str,
    arch: Arch,
    inputs: Mapping[str, np.ndarray],
    trials: int = 1,
    *,
    keep: Sequence[str] = (),
    everything: bool = False,
    observers: Collection[Observation] = (),
    engine: str = "batch",
) -> TrialResult:
    """Run all samples of `inputs` (samples,) + shape on as many chips `arch`, one core after the other.

    `arch` has its physics (`launch.analog.described.described` makes one of files); `draws.first` is the first trial.
    With `everything` histograms and ranges of currents are counted, too. `observers` are put around cores behind the
    one that counts. Raises EmuErrors.
    """
    count = sample_count(inputs)
    text = chip_text(replace(arch, draws=replace(arch.draws, samples=count)))
    options = RunOptions(sequential=True, timeout=None, engine=engine, analog=text)
    kept = _kept(Path(image), keep)
    outputs, tensors = dict[str, list[np.ndarray]](), dict[str, list[np.ndarray]]()
    names, around = [tensor.name for tensor in kept], [Counting(everything), *observers]
    with power_on_sequential(image, options, keep=names, observers=around) as chip:
        for result in chip.stream(each_sample(inputs, trials)):
            made = {tensor.name: tensor.assemble(result.captures) for tensor in kept}
            for into, arrays in ((outputs, result.outputs), (tensors, made)):
                for name, array in arrays.items():
                    into.setdefault(name, []).append(array)
        counts = chip.observed[KEY]
    shape = trials, count
    return TrialResult(_by_trial(outputs, shape), _by_trial(tensors, shape), counts)


def _kept(image: Path, keep: Sequence[str]) -> list[KeptTensor]:
    if not keep:
        return []
    opened = open_image(image, verify=False)
    known = kept_tensors({core: opened.program(core).buffers for core in opened.cores})
    return choose(keep, known, opened.manifest)


def _by_trial(arrays: Mapping[str, list[np.ndarray]], shape: tuple[int, int]) -> dict[str, np.ndarray]:
    return {name: array.reshape(*shape, *array.shape[1:]) for name, array in stack(arrays).items()}
