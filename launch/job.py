"""A run from files to a report: inputs, golden values, the run itself, the comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from emu.chaos.spec import Chaos
from emu.errors import InputError
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from launch.checking import refuse_refuted
from launch.golden import ALIASES, SOURCES, Golden, check_model, compute_golden, read_golden
from launch.intermediate import KeptTensor, as_extent, choose, closest, kept_tensors, node_outputs
from launch.progress import progress_bar
from launch.report import Report
from launch.run import RunOptions, RunResult, run
from launch.sample_binding import Binding, Tensor, digest_of_inputs, kept_key, output_key
from launch.sample_store import SampleStore
from launch.samples import load_inputs, load_labels, sample_count, seeded_inputs
from launch.series import Series, digest_of, run_series
from launch.stalls import Notice
from launch.verdict import Verdict, classes, compare_all
from launch.zygote_process import ZygoteProcess

if TYPE_CHECKING:
    from emu.image.reader import Image


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What `emu launch` was asked to do. `golden` is "", none, a source of golden values, or a file."""

    out: Path
    input: Path | None = None
    labels: str = ""
    model: Path | None = None
    golden: str = ""
    tolerance: float | None = None
    keep: tuple[str, ...] = ()
    save: Path | None = None
    resume: bool = False
    seed: int | None = None  # None: the stored inputs, or seed 0 if there are none
    options: RunOptions = field(default_factory=RunOptions)
    quiet: bool = False
    check: bool = True  # refuse programs that the checker refutes
    notice: Notice | None = None  # is told of processes that are stopped
    runs: int = 0  # disturbed runs to compare with an undisturbed one; 0: the run itself is disturbed

    @property
    def source(self) -> str:
        """The evaluator that `golden` names; empty if it names none."""
        name = ALIASES.get(self.golden, self.golden)
        return name if name in SOURCES else ""


def run_job(job: Job, zygote: ZygoteProcess | None = None) -> Report:
    """Run, compare, and report; raises EmuErrors only, whatever the files hold. `zygote`: one started ahead."""
    from emu.image.reader import open_image

    image = open_image(job.out, verify=False)  # whoever powers the chip on verifies, once
    if job.model:
        check_model(job.model, image.manifest.model.sha256, str(job.out))
    if job.check:
        refuse_refuted(job.out, job.options.flow)
    inputs, given = choose_inputs(job, image)
    labels = _labels(job, image, sample_count(inputs))
    kept = _kept(job, image)
    golden, note = choose_golden(job, image, inputs, given)
    middle = _golden_of_kept(job, inputs, kept)
    with (
        _store(job, image, inputs, kept) as store,
        progress_bar("samples", sample_count(inputs) * job.options.repeat, job.quiet) as advance,
    ):
        options = replace(job.options, chaos=None) if job.runs else job.options
        result = run(job.out, inputs, options, kept, advance, store, zygote, job.notice)
    series = _series(job, inputs, kept, result)
    verdict = compare_all(result.outputs, golden.tensors, golden.source, job.tolerance) if golden else None
    return Report(
        options,
        result,
        verdict,
        note,
        _accuracy(result, labels),
        _compare_kept(result, kept, middle, job.tolerance),
        image.manifest.model.name,
        _producers(job.model) if kept and job.model else {},
        series,
    )


def _series(
    job: Job, inputs: Mapping[str, np.ndarray], kept: Sequence[KeptTensor], undisturbed: RunResult
) -> Series | None:
    """The disturbed runs that --runs asks for; nothing of them is saved."""
    if not job.runs or job.options.chaos is None:
        return None

    def once(chaos: Chaos) -> tuple[str, Mapping[str, int]]:
        result = run(job.out, inputs, replace(job.options, chaos=chaos), kept)
        return _digest(result), result.injected or {}

    return run_series(job.options.chaos, job.runs, _digest(undisturbed), once, job.quiet)


def _digest(result: RunResult) -> str:
    """One digest of everything that came out."""
    kept = {kept_key(name): array for name, array in result.kept.items()}
    outputs = {output_key(name): array for name, array in result.outputs.items()}
    return digest_of({**kept, **outputs, "repetitions": np.array([result.repeats_equal])})


def choose_inputs(job: Job, image: Image) -> tuple[dict[str, np.ndarray], str]:
    """Inputs (samples,) + shape and where they are from: "file", "default" (stored in `out/`) or "seed"."""
    specs = image.manifest.inputs
    if job.input:
        return load_inputs(job.input, specs), "file"
    if job.labels:
        raise InputError("--labels names an array of the input file: give --input FILE.npz, too")
    if image.manifest.default_input and job.seed is None:
        return load_inputs(job.out / image.manifest.default_input, specs), "default"
    return seeded_inputs(specs, job.seed or 0), "seed"


def _store(
    job: Job, image: Image, inputs: Mapping[str, np.ndarray], kept: Sequence[KeptTensor]
) -> AbstractContextManager[SampleStore | None]:
    """Where finished samples go: to the side file of --save, bound to image, inputs and engine."""
    if job.save is None:
        if job.resume:
            raise InputError("--resume continues an interrupted run: name its output file with --save FILE.npz, too")
        return nullcontext()
    tensors = [
        *(Tensor(kept_key(k.name), k.name, k.tiles[0][1].dtype.numpy.str, k.extent) for k in kept),
        # Last, because of two arrays of one name the later one is in the file.
        *(Tensor(output_key(s.name), s.name, s.dtype.numpy.str, tuple(s.shape)) for s in image.manifest.outputs),
    ]
    manifest = digest(job.out / MANIFEST_FILE).sha256
    engine, count = job.options.engine, sample_count(inputs)
    binding = Binding(manifest, digest_of_inputs(inputs), engine, count, tuple(tensors))
    return SampleStore(job.save, binding, job.resume)


def choose_golden(job: Job, image: Image, inputs: Mapping[str, np.ndarray], given: str) -> tuple[Golden | None, str]:
    """Golden outputs, or None and why there are none."""
    names = [spec.name for spec in image.manifest.outputs]
    if job.golden == "none":
        return None, "not compared (--golden none)"
    if job.golden and not job.source:
        return read_golden(Path(job.golden), image.manifest.outputs), ""
    stored, source = image.manifest.golden if given == "default" else "", image.manifest.golden_source
    if stored and (not job.source or source.startswith(_stored_as(job.source))):
        return read_golden(job.out / stored, image.manifest.outputs, source), ""
    if job.model:
        return compute_golden(job.model, job.source or "onnxruntime", inputs, names), ""
    if job.source:
        raise InputError(f"--golden {job.golden} computes from the model: give --model FILE.onnx, too")
    return None, "not compared: no golden values for these inputs (give --model FILE.onnx)"


def _stored_as(source: str) -> str:
    return {"reference": "onnx.reference"}.get(source, source)


def _labels(job: Job, image: Image, count: int) -> np.ndarray | None:
    """The labels of --labels, each a class of the first output."""
    if not (job.input and job.labels):
        return None
    labels, outputs = load_labels(job.input, job.labels, count), image.manifest.outputs
    number = prod(outputs[0].shape) if outputs else 0
    strange = labels[(labels < 0) | (labels >= number)]
    if number and len(strange):
        raise InputError(
            f"labels {job.labels!r} of {job.input} hold {strange[0]}: output {outputs[0].name!r} has the classes 0 to "
            f"{number - 1}"
        )
    return labels


def _accuracy(result: RunResult, labels: np.ndarray | None) -> tuple[int, int] | None:
    """(right, all) by the largest element of the first output."""
    if labels is None:
        return None
    if not result.outputs:
        raise InputError("--labels needs an output to take the largest element of, and the network has none")
    outputs = next(iter(result.outputs.values()))
    return int(np.count_nonzero(classes(outputs) == labels)), len(labels)


def _kept(job: Job, image: Image) -> list[KeptTensor]:
    if not job.keep:
        return []
    if not (job.model or job.save):
        raise InputError(
            "--keep compares with the model's own tensors: give --model FILE.onnx, or --save FILE.npz to store them"
        )
    tensors = kept_tensors({core: image.program(core).buffers for core in image.cores})
    return choose(job.keep, tensors, node_outputs(job.model) if job.model else {})


def _producers(model: Path) -> dict[str, str]:
    """The ONNX node of each tensor."""
    return {tensor: node for node, outputs in node_outputs(model).items() for tensor in outputs}


def _golden_of_kept(job: Job, inputs: Mapping[str, np.ndarray], kept: Sequence[KeptTensor]) -> Golden | None:
    """Golden values of the kept tensors that the model knows (those of the compiler's own making are not)."""
    if not kept or not job.model or job.golden == "none":
        return None
    known = _producers(job.model)
    names = [tensor.name for tensor in kept if tensor.name in known]
    return compute_golden(job.model, job.source or "onnxruntime", inputs, names)


def _compare_kept(
    result: RunResult, kept: Sequence[KeptTensor], golden: Golden | None, tolerance: float | None
) -> Verdict | None:
    if golden is None:
        return None
    wanted = {
        tensor.name: closest(forms, result.kept[tensor.name])
        for tensor in kept
        if tensor.name in golden.tensors and (forms := as_extent(golden.tensors[tensor.name], tensor.extent))
    }
    return compare_all({name: result.kept[name] for name in wanted}, wanted, golden.source, tolerance)
