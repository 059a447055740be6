"""Finds the first divergence of an image from its model: run again, compare, narrow, compare with a recompilation."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from emu.errors import InputError
from emu.image.reader import Image, read_manifest
from emu.replay.timeline import TooMuch
from launch.bisect.deciding import decided, told
from launch.bisect.endings import ending_of
from launch.bisect.finding import Finding
from launch.bisect.narrowing import Narrowing
from launch.bisect.network import Network
from launch.bisect.outputs import compare_outputs
from launch.bisect.recording import KeptImage, Recording, record
from launch.bisect.reference import compare_with_recompilation
from launch.bisect.scene import Scene
from launch.bisect.streams import compare_streams, streams_of
from launch.bisect.tensors import compare_tensors
from launch.golden.intermediate import tensors_of
from launch.golden.values import Golden, Steps, caches_of, compute_golden
from launch.processes.options import RunOptions
from launch.samples.inputs import each_sample
from launch.system.garbage import rare_collections
from launch.system.threads import one_blas_thread


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


def bisect(question: Question) -> Finding:
    """Search; raises EmuErrors for a network or request that cannot be searched."""
    began = time.monotonic()
    image = KeptImage(question.image, read_manifest(question.image))
    if image.manifest.segments:
        raise InputError(
            f"{question.image} runs in segments with host nodes: name the image of one of them to look for its first "
            "wrong node"
        )
    network = Network(question.model, image.manifest)
    with one_blas_thread(), rare_collections(), ThreadPoolExecutor(1) as pool:
        computed = pool.submit(_golden, question, image)
        samples = list(each_sample(question.inputs))[: question.sample + 1]
        samples = samples if question.steps else samples[question.sample :]
        recording = _record(image, samples, question)
        golden = computed.result()
        compared = pool.submit(compare_with_recompilation, image, network) if question.recompile else None
        try:
            finding = _search(question, image, network, recording, golden)
        except TooMuch as much:
            note = f"the programs cannot be followed back to the first wrong value: {much}"
            finding = Finding(question.sample, error=str(recording.error or ""), note=note)
        changes = compared.result() if compared else None
    finding = replace(finding, by_values=finding.site)
    return replace(decided(finding, changes, network), seconds=time.monotonic() - began)


def _record(image: Image, samples: list[dict[str, np.ndarray]], question: Question) -> Recording:
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


def _search(question: Question, image: Image, network: Network, recording: Recording, golden: Golden) -> Finding:
    last = {name: np.asarray(array[-1]) for name, array in golden.tensors.items()}
    shaken = [{name: np.asarray(array[-1]) for name, array in each.items()} for each in golden.shaken]
    inputs = {name: np.asarray(array[question.sample]) for name, array in question.inputs.items()}
    scene = Scene(image, network, recording, last, shaken, inputs, question.tolerance, question.options.engine)
    streams = streams_of(scene) if scene.streams else []
    flowing = list(compare_streams(scene, streams))
    states = list(compare_tensors(scene))
    wrong = [state for state in states if state.tiles]
    order = network.order
    first = min(wrong, key=lambda state: order.get(state.name, len(order)), default=None)
    broken = next(((name, found) for name, found in flowing if found), None)
    before = [*(name for name, found in flowing if not found), *(state.name for state in states if not state.tiles)]
    if broken and first and order[first.name] < order[broken[0]]:
        broken = None
    limit = order.get(broken[0] if broken else first.name if first else "", len(order))
    base = Finding(
        question.sample,
        tensors=len(states) + len(flowing),
        right=tuple(name for name in before if order[name] < limit),
        error=str(recording.error or ""),
    )
    if broken is not None:
        name, found = broken
        blame = Narrowing(scene, name, streams).of_stream(found[0], streams)
        return told(base, network, network.nodes.get(name, ""), found[0].wrong, blame, "values")
    if first is not None:
        node = network.nodes.get(first.name, "")
        blame = Narrowing(scene, first.name, streams).of_tensor(first)
        verdicts = {state.name: "wrong" if state.tiles else "right" for state in states}
        given = {name: verdicts[name] for name in network.inputs_of(first.name, verdicts)}
        base = replace(base, inputs=given, inputs_right="wrong" not in given.values() if given else None)
        return told(base, network, node, first.wrong(node), blame, "values")
    if ending := ending_of(network, recording.error):
        site = ending.sites[0]
        return replace(base, node=site.node, core=site.core, site=site, by=ending.by, suspects=ending.sites[1:])
    return compare_outputs(scene, base)
