"""Prepares a run before it starts: image, inputs, states, tensors to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from emu.errors import InputError, option
from emu.options import given, refuse_together
from launch.analog.options import KIND, OWN
from launch.chips.segmented import reject_unsupported
from launch.golden.fitting import check_model, of_model
from launch.golden.intermediate import KeptTensor, choose, kept_tensors
from launch.golden.sources import file_of
from launch.golden.values import Steps
from launch.golden.verdict import can_be_classes
from launch.images.checking import refuse_refuted
from launch.runs.request import Job
from launch.samples.initial_states import initial_states
from launch.samples.input_values import named_inputs
from launch.samples.inputs import load_inputs, load_labels, sample_count, seeded_inputs

if TYPE_CHECKING:
    from emu.image.reader import Image


@dataclass(frozen=True, slots=True)
class PreparedJob:
    """A job with what its files hold. `inputs` are (samples,) + shape; `given` says where they are from.

    That is "file", "values", "default" (stored in the image) or "seed". `steps` are None where samples are alone.
    """

    job: Job
    image: Image
    inputs: Mapping[str, np.ndarray]
    given: str
    steps: Steps | None = None
    labels: np.ndarray | None = None
    kept: Sequence[KeptTensor] = ()

    @property
    def samples(self) -> int:
        """The number of samples."""
        return sample_count(self.inputs)

    @property
    def all_samples(self) -> int:
        """Samples of all trials."""
        return self.samples * self.job.trials

    @property
    def seed(self) -> int | None:
        """The seed of the inputs; None for those of a file, or if the image does not tell."""
        if self.given == "seed":
            return self.job.seed or 0
        stored = self.image.manifest.options.get("seed", "")
        return int(stored) if self.given == "default" and stored.isdecimal() else None


def prepare(job: Job, image: Image) -> PreparedJob:
    """Read and check all but golden values; raises InputError, and ProgramError for refuted programs."""
    refuse_together(Job, {*given(job), *(("input",) if job.input else ())})
    if image.manifest.segments:
        reject_unsupported(image, job.options, job.keep, job.trace is not None, bool(job.analog))
    elif not job.analog and image.arch.crossbar.kind == KIND:
        job = replace(job, analog=(OWN,))  # its products are not those of ideal crossbars either way
    if job.model:
        check_model(job.model, image.manifest, str(job.out))
        image = replace(image, manifest=of_model(image.manifest, job.model))
    if job.check:
        refuse_refuted(job.out, job.options.flow)
    steps = choose_steps(job, image)
    inputs, source = choose_inputs(job, image)
    labels = choose_labels(job, image, sample_count(inputs))
    prepared = PreparedJob(job, image, inputs, source, steps, labels, choose_kept(job, image))
    options = replace(job.options, seed=prepared.seed or 0, analog=choose_chip(job, image, prepared.samples))
    return replace(prepared, job=replace(job, options=options))


def choose_chip(job: Job, image: Image, samples: int) -> str:
    """The chip of `--analog`, as `RunOptions.analog` has it; empty without: crossbars are those of the image."""
    if not job.analog:
        return ""
    from launch.analog.described import chip_text, described

    if job.repeat > 1:
        raise InputError(
            f"{option('repeat', job.repeat)} compares what a run does again, and each time cells are others: give"
            f" {option('trials', job.repeat)} instead"
        )
    return chip_text(described(image, job.analog, job.analog_seed, samples))


def choose_inputs(job: Job, image: Image) -> tuple[dict[str, np.ndarray], str]:
    """Inputs (samples,) + shape and where they are from: "file", "values", "default" (stored in `out/`) or "seed"."""
    states = {state.input for state in image.manifest.states} if job.stateful else set()
    specs = [spec for spec in image.manifest.inputs if spec.name not in states]
    if job.input:
        return load_inputs(job.input, specs), "file"
    if job.values:
        return named_inputs(job.values, specs), "values"
    if image.manifest.default_input and job.seed is None:
        return load_inputs(job.out / image.manifest.default_input, specs), "default"
    return seeded_inputs(specs, job.seed or 0), "seed"


def choose_steps(job: Job, image: Image) -> Steps | None:
    """The states that a stateful run keeps, and their first values; None for a run whose samples are alone."""
    if not job.stateful:
        return None
    states = image.manifest.states
    if not states:
        raise InputError(
            f"--stateful: {job.out} has no states: compile it with --state INPUT=OUTPUT, or leave this out"
        )
    specs = {spec.name: spec for spec in image.manifest.inputs}
    return Steps(states, initial_states(job.initial, {state.input: specs[state.input] for state in states}))


def choose_labels(job: Job, image: Image, count: int) -> np.ndarray | None:
    """The labels of --labels, each a class of the first output."""
    return labels_of(image, job.input, job.labels, count) if job.input and job.labels else None


def labels_of(image: Image, path: Path, key: str, count: int) -> np.ndarray:
    """The labels of so many samples, array `key` of an .npz file, each a class of the first output."""
    outputs = image.manifest.outputs
    if not outputs:
        raise InputError("--labels needs an output to take the largest element of, and the network has none")
    if not can_be_classes(outputs[0].shape):
        raise InputError(
            f"--labels: output {outputs[0].name!r} has shape {list(outputs[0].shape)}, which is no score per class; "
            "[N], [1, N] and [1, N, 1, 1] are"
        )
    labels, number = load_labels(path, key, count), prod(outputs[0].shape)
    strange = labels[(labels < 0) | (labels >= number)]
    if len(strange):
        raise InputError(
            f"labels {key!r} of {path} hold {strange[0]}: output {outputs[0].name!r} has the classes 0 to {number - 1}"
        )
    return labels


def choose_kept(job: Job, image: Image) -> list[KeptTensor]:
    """The tensors of --keep; raises InputError if they would go nowhere."""
    if not job.keep:
        return []
    tensors = choose(job.keep, can_be_kept(image), image.manifest)
    if not (job.model or job.save or file_of(job.golden)):
        raise InputError(
            "--keep compares with the model's own tensors: give --model FILE.onnx, --golden FILE.npz with their values,"
            " or --save FILE.npz to store them"
        )
    return tensors


def can_be_kept(image: Image) -> Mapping[str, KeptTensor]:
    """The tensors that cores hold whole, by name."""
    return kept_tensors({core: image.program(core).buffers for core in image.cores})
