"""Finds the first divergence of an image from its model: run again, compare, narrow, compare with a recompilation."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from emu.core.products.threads import one_blas_thread
from emu.errors import InputError
from emu.image.reader import Image, read_manifest
from emu.operands.timeline import TooMuch
from launch.bisect.conclusion import with_blame, with_changes
from launch.bisect.doubts import doubtful
from launch.bisect.endings import ending_of
from launch.bisect.finding import NOTHING, BisectResult
from launch.bisect.narrowing import Narrowing
from launch.bisect.network import OnnxNetwork
from launch.bisect.outputs import compare_outputs
from launch.bisect.recording import KeptImage, SampleRecording, record
from launch.bisect.reference import compare_with_recompilation
from launch.bisect.scene import Scene
from launch.bisect.streams import Stream, WrongStream, compare_streams, streams_of
from launch.bisect.tensors import TensorState, compare_tensors
from launch.golden.fitting import of_model
from launch.golden.intermediate import tensors_of
from launch.golden.values import Golden, Steps, caches_of, compute_golden
from launch.processes.options import RunOptions
from launch.samples.inputs import each_sample
from launch.system.memory import rare_collections


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is to be searched: an image and its model, and the inputs of all samples; `sample` is one that differs.

    `source` computes golden values; with `steps` samples are steps of a stateful run. `recompile`: whether the image is
    compared with what the compiler makes of the model now.
    """

    image: Path
    model: Path
    inputs: Mapping[str, np.ndarray]
    sample: int = 0
    source: str = "onnxruntime"
    tolerance: float | None = None
    options: RunOptions = field(default_factory=lambda: RunOptions(sequential=True))
    steps: Steps | None = None
    recompile: bool = True


def bisect(question: Question) -> BisectResult:
    """Search; raises EmuErrors for a network or request that cannot be searched."""
    began = time.monotonic()
    image = KeptImage(question.image, of_model(read_manifest(question.image), question.model))
    if image.manifest.segments:
        raise InputError(
            f"{question.image} runs in segments with host nodes: name the image of one of them to look for its first "
            "wrong node"
        )
    network = OnnxNetwork(question.model, image.manifest)
    finding, compared = BisectResult(question.sample), None
    with one_blas_thread(), rare_collections(), ThreadPoolExecutor(1) as pool:
        computed = pool.submit(_golden, question, image)
        for samples in _runs(question):
            recording = _record(image, samples, question)
            golden = computed.result()
            if compared is None and question.recompile:
                compared = pool.submit(compare_with_recompilation, image, network)
            finding = _found(_scene(question, image, network, recording, golden), question, len(samples) - 1)
            if finding.note != NOTHING:
                break
        changes = compared.result() if compared else None
    finding = replace(finding, by_values=finding.site)
    return replace(with_changes(finding, changes, network), seconds=time.monotonic() - began)


def _runs(question: Question) -> Iterator[list[dict[str, np.ndarray]]]:
    """What is run to see the sample go wrong: it alone; with the one before it; with all before it, as steps always."""
    samples = list(each_sample(question.inputs))[: question.sample + 1]
    before = [question.sample] if question.steps else sorted({0, min(1, question.sample), question.sample})
    yield from (samples[-1 - count :] for count in before)


def _found(scene: Scene, question: Question, before: int) -> BisectResult:
    try:
        finding = _search(scene, question.sample)
    except TooMuch as much:
        note = f"the programs cannot be followed back to the first wrong value: {much}"
        finding = BisectResult(question.sample, error=str(scene.recording.error or ""), note=note)
    return finding if question.steps or finding.note else replace(finding, before=before)


def _record(image: Image, samples: list[dict[str, np.ndarray]], question: Question) -> SampleRecording:
    options = replace(question.options, sequential=True)
    return record(image, samples, options, question.steps.initial if question.steps else None)


def _golden(question: Question, image: Image) -> Golden:
    """Golden values of all tensors of the network's own nodes, for the samples up to the one in question."""
    known = tensors_of(question.model)
    names = [origin.tensor for origin in image.manifest.tensors if origin.tensor in known]
    names = list(dict.fromkeys([*names, *(spec.name for spec in image.manifest.outputs)]))
    last = slice(0 if question.steps else question.sample, question.sample + 1)
    inputs = {name: array[last] for name, array in question.inputs.items()}
    return compute_golden(question.model, question.source, inputs, names, question.steps, caches_of(image.manifest))


def _scene(question: Question, image: Image, network: OnnxNetwork, recording: SampleRecording, golden: Golden) -> Scene:
    """The last one of the samples that were evaluated, which is the one that was recorded."""
    last = {name: np.asarray(array[-1]) for name, array in golden.tensors.items()}
    perturbed = [{name: np.asarray(array[-1]) for name, array in each.items()} for each in golden.perturbed]
    inputs = {name: np.asarray(array[question.sample]) for name, array in question.inputs.items()}
    return Scene(image, network, recording, last, perturbed, inputs, question.tolerance, question.options.engine)


def _search(scene: Scene, sample: int) -> BisectResult:
    """The first thing in the order of the network that is wrong: tensors, then how the run ended, then outputs."""
    place = scene.network.place
    streams = streams_of(scene) if scene.streams else []
    flowing = list(compare_streams(scene, streams))
    states = _without_rounding(scene, list(compare_tensors(scene)))
    wrong = [*((name, None) for name, found in flowing if found), *((s.name, s) for s in states if s.tiles)]
    right = [*(name for name, found in flowing if not found), *(s.name for s in states if not s.tiles)]
    name, state = min(wrong, key=lambda each: place(each[0]), default=("", None))
    base = BisectResult(
        sample,
        tensors=len(states) + len(flowing),
        right=tuple(each for each in right if place(each) < place(name)),
        error=str(scene.recording.error or ""),
    )
    if state is not None:
        return _of_tensor(scene, base, state, states, streams)
    if name:
        return _of_stream(scene, base, name, dict(flowing)[name][0], streams)
    if ending := ending_of(scene.network, scene.recording.error):
        site = ending.sites[0]
        return replace(base, node=site.node, core=site.core, site=site, by=ending.by, suspects=ending.sites[1:])
    return compare_outputs(scene, base)


def _without_rounding(scene: Scene, states: Sequence[TensorState]) -> list[TensorState]:
    """The tensors; those that differ by rounding only count as right, and their bytes too."""
    outputs = {spec.name for spec in scene.image.manifest.outputs}
    rounded = doubtful(scene.network, {state.name: state.off for state in states}, outputs)
    for state in states:
        if state.name in rounded:
            scene.knowledge.trust(state.name, state.contents)
    return [replace(state, tiles=()) if state.name in rounded else state for state in states]


def _of_tensor(
    scene: Scene, base: BisectResult, first: TensorState, states: Sequence[TensorState], streams: Sequence[Stream]
) -> BisectResult:
    """Who made the first wrong tensor that cores held whole, and whether what it is computed from was right."""
    network = scene.network
    verdicts = {state.name: "wrong" if state.tiles else "right" for state in states}
    given = {name: verdicts[name] for name in network.inputs_of(first.name, verdicts)}
    base = replace(base, inputs=given, inputs_right="wrong" not in given.values() if given else None)
    node = network.nodes.get(first.name, "")
    return with_blame(base, network, node, first.wrong(node), Narrowing(scene, first.name, streams).of_tensor(first))


def _of_stream(
    scene: Scene, base: BisectResult, name: str, found: WrongStream, streams: Sequence[Stream]
) -> BisectResult:
    """Who made the first wrong tensor that passed through cores in rows."""
    blame = Narrowing(scene, name, streams).of_stream(found, streams)
    return with_blame(base, scene.network, found.wrong.node, found.wrong, blame)
