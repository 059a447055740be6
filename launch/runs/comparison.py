"""What a run is compared with: golden outputs, labels, golden intermediate tensors; all decided before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from compiler.frontend.golden import SOURCES
from emu.errors import InputError
from launch.golden.intermediate import SHOWN, KeptTensor, choose, kept_tensors, tensors_of
from launch.golden.values import (
    ALIASES,
    Golden,
    Steps,
    caches_of,
    compute_golden,
    names_in,
    read_golden,
    read_kept,
)
from launch.golden.verdict import KEPT_SLACK, Verdict, can_be_classes, check_names, classes, compare_all
from launch.runs.run import RunResult
from launch.samples.inputs import load_labels, sample_count

if TYPE_CHECKING:
    from emu.image.manifest import Manifest
    from emu.image.reader import Image
    from launch.runs.job import Job

NONE, DEFAULT = "none", "onnxruntime"
NO_MODEL = "the programs were not compiled from a model"
NOT_COMPARED = "not compared (--golden none)"
NOTHING_KNOWN = f"not compared: {NO_MODEL} (--golden FILE.npz or --model FILE.onnx compares)"


def source_of(golden: str) -> str:
    """The evaluator that `golden` names; empty if it names none."""
    name = ALIASES.get(golden, golden)
    return name if name in SOURCES else ""


def evaluator_of(golden: str, manifest: Manifest) -> str:
    """The evaluator of what is compared beside outputs: that which `golden` names, else that of stored outputs."""
    stored = (source for source in SOURCES if manifest.golden_source.startswith(_stored_as(source)))
    return source_of(golden) or next(stored, DEFAULT)


def file_of(golden: str) -> Path | None:
    """The file that `golden` names, if it names one."""
    return None if golden in ("", NONE) or source_of(golden) else Path(golden)


def choose_golden(
    job: Job, image: Image, inputs: Mapping[str, np.ndarray], given: str, steps: Steps | None = None
) -> tuple[Golden | None, str]:
    """Golden outputs, or None and why there are none.

    Programs without a model are compared only if golden values are named; all others unless `none` is asked for, else
    InputError is raised.
    """
    if job.golden == NONE:
        return None, NOT_COMPARED
    manifest, specs = image.manifest, image.manifest.outputs
    if not (job.golden or job.model or manifest.golden or manifest.compiled_from_model):
        return None, NOTHING_KNOWN
    if not specs:
        raise InputError(
            f"{job.out} has no outputs, so nothing can be compared: give --golden none to run it all the same"
        )
    golden = _golden(job, image, inputs, given, steps)
    check_names({spec.name: spec for spec in specs}, golden.tensors, golden.source)
    for spec in specs:
        count, wanted = len(golden.tensors[spec.name]), sample_count(inputs)
        if count != wanted:
            raise InputError(
                f"the golden values ({golden.source}) of output {spec.name!r} are of {count} samples, the inputs are "
                f"{wanted}"
            )
    return golden, ""


def _golden(job: Job, image: Image, inputs: Mapping[str, np.ndarray], given: str, steps: Steps | None) -> Golden:
    source, manifest = source_of(job.golden), image.manifest
    if path := file_of(job.golden):
        return read_golden(path, manifest.outputs)
    stored = manifest.golden if given == "default" and steps is None else ""
    if stored and (not source or manifest.golden_source.startswith(_stored_as(source))):
        return read_golden(job.out / stored, manifest.outputs, manifest.golden_source)
    if job.model:
        names = [spec.name for spec in manifest.outputs]
        return compute_golden(job.model, source or DEFAULT, inputs, names, steps, caches_of(manifest))
    known = manifest.compiled_from_model
    advice = "give --model FILE.onnx, too" if known else f"{NO_MODEL}: give --golden FILE.npz, or --golden none"
    if source:
        raise InputError(f"--golden {job.golden} computes from the model: {advice}")
    model = "give --model FILE.onnx, " if known else f"{NO_MODEL}: give "
    raise InputError(
        f"{job.out} has no golden values for these inputs, so nothing can be verified: {model}"
        "--golden FILE.npz, or --golden none"
    )


def _stored_as(source: str) -> str:
    return {"reference": "onnx.reference"}.get(source, source)


def compare_outputs(job: Job, result: RunResult, golden: Golden | None) -> Verdict | None:
    """The verdict on the outputs; None if there is nothing to compare them with."""
    if golden is None:
        return None
    limits = job.tolerance, job.allow_nan
    verdict = compare_all(result.outputs, golden.tensors, golden.source, *limits, shaken=golden.shaken)
    return replace(verdict, origin=golden.origin)


def choose_labels(job: Job, image: Image, count: int) -> np.ndarray | None:
    """The labels of --labels, each a class of the first output."""
    if not (job.input and job.labels):
        return None
    outputs = image.manifest.outputs
    if not outputs:
        raise InputError("--labels needs an output to take the largest element of, and the network has none")
    if not can_be_classes(outputs[0].shape):
        raise InputError(
            f"--labels: output {outputs[0].name!r} has shape {list(outputs[0].shape)}, which is no score per class; "
            "[N], [1, N] and [1, N, 1, 1] are"
        )
    labels, number = load_labels(job.input, job.labels, count), prod(outputs[0].shape)
    strange = labels[(labels < 0) | (labels >= number)]
    if len(strange):
        raise InputError(
            f"labels {job.labels!r} of {job.input} hold {strange[0]}: output {outputs[0].name!r} has the classes 0 to "
            f"{number - 1}"
        )
    return labels


def accuracy(result: RunResult, labels: np.ndarray | None) -> tuple[int, int] | None:
    """(right, all) by the largest element of the first output."""
    if labels is None:
        return None
    outputs = next(iter(result.outputs.values()))
    return int(np.count_nonzero(classes(outputs) == labels)), len(labels)


def choose_kept(job: Job, image: Image) -> list[KeptTensor]:
    """The tensors of --keep; raises InputError if they would go nowhere."""
    if not job.keep:
        return []
    tensors = choose(job.keep, _can_be_kept(image), image.manifest)
    if not (job.model or job.save or file_of(job.golden)):
        raise InputError(
            "--keep compares with the model's own tensors: give --model FILE.onnx, --golden FILE.npz with their values,"
            " or --save FILE.npz to store them"
        )
    return tensors


def _can_be_kept(image: Image) -> Mapping[str, KeptTensor]:
    return kept_tensors({core: image.program(core).buffers for core in image.cores})


def golden_of_kept(
    job: Job, image: Image, inputs: Mapping[str, np.ndarray], kept: Sequence[KeptTensor], steps: Steps | None = None
) -> Golden | None:
    """Golden values of the kept tensors: those of a file; of others what the model computes, as far as it knows them.

    Tensors of the compiler's own making are in no model.
    """
    if not kept or job.golden == NONE:
        return None
    path, outputs = file_of(job.golden), {spec.name: spec.shape for spec in image.manifest.outputs}
    alike = [tensor for tensor in kept if tensor.form.shape == outputs.get(tensor.name, tensor.form.shape)]
    given = read_kept(path, alike, sample_count(inputs)) if path else None
    if not job.model:
        return given
    known = tensors_of(job.model) - set(given.tensors if given else ())
    names = [tensor.name for tensor in kept if tensor.name in known]
    source, caches = evaluator_of(job.golden, image.manifest), caches_of(image.manifest)
    computed = compute_golden(job.model, source, inputs, names, steps, caches)
    if given is None or not given.tensors:
        return computed
    if not names:
        return given
    tensors, source = {**given.tensors, **computed.tensors}, f"{given.source}, of what it lacks {computed.source}"
    return Golden(source, tensors, origin=computed.origin)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(map(repr, names[:SHOWN])) + more


def left_out(job: Job, image: Image, kept: Sequence[KeptTensor]) -> Sequence[str]:
    """What of a file of golden values is compared with nothing, as sentences."""
    path, manifest = file_of(job.golden), image.manifest
    if path is None:
        return []
    used = {spec.name for spec in (*manifest.inputs, *manifest.outputs)} | {tensor.name for tensor in kept}
    names = [name for name in names_in(path) if name not in used and name != job.labels]
    inner = _can_be_kept(image) if names else {}
    idle, strange = [name for name in names if name in inner], [name for name in names if name not in inner]
    sentences: list[str] = []
    if idle:
        sentences.append(f"not compared, as they are not kept: {_listed(idle)} of {path} (--keep all compares them)")
    if strange:
        sentences.append(f"not compared, as no core holds tensors of these names whole: {_listed(strange)} of {path}")
    return sentences


def compare_kept(job: Job, result: RunResult, golden: Golden | None) -> Verdict | None:
    """The verdict on kept tensors, as far as there are golden values of them; None if there are none at all."""
    if golden is None or not golden.tensors:
        return None
    got = {name: array for name, array in result.kept.items() if name in golden.tensors}
    limits = job.tolerance, job.allow_nan, KEPT_SLACK
    verdict = compare_all(got, golden.tensors, golden.source, *limits, golden.shaken)
    return replace(verdict, origin=golden.origin)
