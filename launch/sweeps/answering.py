"""What a network answers to data on a chip of a sweep, whose cells and converters change the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.arch.overlay import analog_of
from emu.image.npz import Archive, write_npz
from emu.image.reader import open_image
from launch.analog.calibration import calibrated
from launch.analog.energy import data_energy
from launch.analog.errors import snr
from launch.analog.interval import Proportion
from launch.analog.ranges import refuse_ranges_of_others
from launch.analog.trials import run_trials
from launch.golden.differences import classes
from launch.runs.gathering import agreement, output_errors, proportion
from launch.runs.preparing import labels_of
from launch.samples.inputs import load_inputs, sample_count
from launch.sweeps.data import SweepData

EQUAL_DB = 200.0  # the signal to noise of answers that are equal, more than any type of outputs can tell


def ideal_answers(out: Path, data: SweepData, kept: Path) -> dict[str, np.ndarray]:
    """What programs answer on ideal crossbars [samples, *shape], by output: from the file `kept`, or put there."""
    image = open_image(out, verify=False)
    if not kept.exists():
        inputs = load_inputs(Path(data.path), image.manifest.inputs)
        arch = replace(image.arch, crossbar=replace(image.arch.crossbar, kind="ideal"))
        write_npz(kept, {name: trials[0] for name, trials in run_trials(out, arch, inputs).outputs.items()})
    with Archive(kept) as arrays:
        return {spec.name: arrays[spec.name] for spec in image.manifest.outputs}


def answered_data(out: Path, arch: Arch, data: SweepData, wanted: Mapping[str, np.ndarray]) -> dict[str, float | None]:
    """Figures of the answers of programs on a chip, by `SweepMetric.key`; None where outputs are no classes.

    `wanted` are the answers on ideal crossbars. Raises EmuErrors.
    """
    image = open_image(out, verify=False)
    inputs = load_inputs(Path(data.path), image.manifest.inputs)
    labels = None if data.labels is None else labels_of(image, Path(data.path), data.labels, sample_count(inputs))
    chip = calibrated(image, analog_of(arch), inputs, data.method, data.percentile)
    refuse_ranges_of_others(image, chip)
    seed = {} if data.seed is None else {"seed": data.seed}
    chip = replace(chip, draws=replace(chip.draws, **seed))
    ran = run_trials(out, chip, inputs, data.trials)
    got, samples = ran.outputs, sample_count(inputs) * data.trials
    errors = output_errors(got, wanted)
    ratio = snr(sum(float(each.signal.sum()) for each in errors), sum(float(each.noise.sum()) for each in errors))
    alike = agreement(got, wanted)
    first = next(iter(got.values()))
    found = classes(first.reshape(-1, *first.shape[2:])).reshape(first.shape[:2])
    right = None if labels is None else proportion(found == labels)
    layers = data_energy(image, chip, ran.counts, samples)
    energies = [part.data for layer in layers for part in layer.parts.values() if part.data is not None]
    return {
        **_share("accuracy", right),
        **_share("agreement", alike),
        "snr_db": ratio if isfinite(ratio) and abs(ratio) < EQUAL_DB else EQUAL_DB if ratio > 0 else -EQUAL_DB,
        "products_pj": sum(energies) if energies else None,
    }


def _share(key: str, of: Proportion | None) -> dict[str, float | None]:
    """A share of answers and its interval, by the keys of `SweepMetric.plain`; no bounds of none."""
    if of is None:
        return {key: None}
    low, high = of.interval
    return {key: of.share, f"{key}_low": low, f"{key}_high": high}
