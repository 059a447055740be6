"""What a network answers to data on a chip of a sweep, whose cells and converters change the answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.image.npz import Archive, write_npz
from emu.image.reader import Image, open_image
from launch.chips.sequential import power_on_sequential
from launch.golden.differences import classes
from launch.golden.verdict import can_be_classes
from launch.processes.options import RunOptions
from launch.runs.preparing import labels_of
from launch.samples.inputs import each_sample, load_inputs, sample_count
from launch.sweeps.data import SweepData

EQUAL_DB = 200.0  # the signal to noise of answers that are equal, more than any type of outputs can tell


def ideal_answers(out: Path, data: SweepData, kept: Path) -> dict[str, np.ndarray]:
    """What programs answer on ideal crossbars [samples, *shape], by output: from the file `kept`, or put there."""
    image = open_image(out, verify=False)
    if not kept.exists():
        inputs = load_inputs(Path(data.path), image.manifest.inputs)
        made = _outputs(image, _of_kind(image.arch, "ideal"), inputs)
        write_npz(kept, made)
    with Archive(kept) as arrays:
        return {spec.name: arrays[spec.name] for spec in image.manifest.outputs}


def answered_data(out: Path, arch: Arch, data: SweepData, wanted: Mapping[str, np.ndarray]) -> dict[str, float | None]:
    """Figures of the answers of programs on a chip, by `SweepMetric.key`; None where outputs are no classes.

    `wanted` are the answers on ideal crossbars. Raises EmuErrors.
    """
    image = open_image(out, verify=False)
    inputs = load_inputs(Path(data.path), image.manifest.inputs)
    count = sample_count(inputs)
    labels = None if data.labels is None else labels_of(image, Path(data.path), data.labels, count)
    draws = {"samples": count} | ({} if data.seed is None else {"seed": data.seed})
    chip = replace(_of_kind(arch, "analog"), draws=replace(arch.draws, **draws))
    got = _outputs(image, chip, inputs, data.trials)
    figures: dict[str, float | None] = {"accuracy": None, "agreement": None, "snr_db": _snr(got, wanted)}
    outputs = image.manifest.outputs
    if outputs and can_be_classes(outputs[0].shape):
        found = classes(got[outputs[0].name])
        figures["agreement"] = _share(found, classes(wanted[outputs[0].name]))
        figures["accuracy"] = None if labels is None else _share(found, labels)
    return figures


def _of_kind(arch: Arch, kind: str) -> Arch:
    return replace(arch, crossbar=replace(arch.crossbar, kind=kind))


def _outputs(image: Image, chip: Arch, inputs: Mapping[str, np.ndarray], times: int = 1) -> dict[str, np.ndarray]:
    """The outputs [times x samples, *shape] of programs on a chip, by name."""
    options = RunOptions(sequential=True, timeout=None, analog=json.dumps(chip.to_dict()))
    with power_on_sequential(image.path, options) as powered:
        results = [result.outputs for result in powered.stream(each_sample(inputs, times))]
    return {spec.name: np.stack([result[spec.name] for result in results]) for spec in image.manifest.outputs}


def _share(found: np.ndarray, wanted: np.ndarray) -> float:
    """The share of classes, trial after trial, that are right."""
    return float(np.mean(found.reshape(-1, len(wanted)) == wanted))


def _snr(got: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]) -> float:
    """10 log10 of the energy of the wanted outputs over that of what is wrong, of all samples and outputs."""
    signal = noise = 0.0
    for name, right in wanted.items():
        exact = right.astype(np.float64)
        off = got[name].reshape(-1, *right.shape).astype(np.float64) - exact
        signal, noise = signal + float(np.sum(exact**2)) * len(off), noise + float(np.sum(off**2))
    if not noise or not signal:
        return EQUAL_DB if not noise else -EQUAL_DB
    return float(np.clip(10 * np.log10(signal / noise), -EQUAL_DB, EQUAL_DB))
