"""A run from files to a report: inputs, golden values, the run itself, the comparison."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from emu.chaos.spec import Chaos
from emu.errors import InputError, option
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from launch.chaos.series import Series, digest_of, run_series
from launch.chips.segmented import refuse_idle
from launch.golden.fitting import check_model, of_model
from launch.golden.intermediate import KeptTensor
from launch.golden.values import Steps
from launch.images.checking import refuse_refuted
from launch.images.hollow import hollow
from launch.processes.options import RunOptions
from launch.processes.zygote_process import ZygoteAhead, Zygotes
from launch.runs.artefacts import Artefacts
from launch.runs.budget import Budget
from launch.runs.comparison import (
    accuracy,
    choose_golden,
    choose_kept,
    choose_labels,
    compare_kept,
    compare_outputs,
    golden_of_kept,
    left_out,
)
from launch.runs.details import times, what_runs
from launch.runs.measures import measure
from launch.runs.record import record
from launch.runs.repeating import launch_arguments
from launch.runs.report import Report
from launch.runs.run import RunResult, run
from launch.runs.tracing import observers_of
from launch.samples.binding import Binding, Tensor, digest_of_samples, kept_key, output_key
from launch.samples.initial_states import initial_states
from launch.samples.input_values import named_inputs
from launch.samples.inputs import load_inputs, sample_count, seeded_inputs
from launch.samples.store import SampleStore
from launch.supervision.stalls import Notice
from launch.text.live import launch_view
from launch.tracing.options import TraceOptions

if TYPE_CHECKING:
    from emu.image.reader import Image


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What `emu launch` was asked to do. `golden` is "", none, a source of golden values, or a file."""

    out: Path
    input: Path | None = None
    values: tuple[tuple[str, str], ...] = ()  # instead of a file: inputs by name, as text
    stateful: bool = False  # samples are steps: the chip keeps its states between them
    initial: tuple[Path | tuple[str, str], ...] = ()  # of the states: a file, or names and texts
    labels: str = ""
    min_accuracy: float | None = None  # a smaller share of right labels fails the run
    model: Path | None = None
    golden: str = ""
    tolerance: float | None = None
    allow_nan: bool = False  # outputs of which all golden elements are NaN may pass
    keep: tuple[str, ...] = ()
    keep_informs: bool = False  # kept tensors that differ do not fail the run
    bisect: bool = False  # after a run that differs, look for the first node, core and instruction that do
    save: Path | None = None
    resume: bool = False
    budget: Budget | None = None  # what is more fails the run
    artefacts: Artefacts | None = None  # is given what a failed run leaves
    seed: int | None = None  # None: the stored inputs, or seed 0 if there are none
    repeat: int = 1
    options: RunOptions = field(default_factory=RunOptions)
    quiet: bool = False
    check: bool = True  # refuse programs that the checker refutes
    notice: Notice | None = None  # is told of processes that are stopped
    details: Notice | None = None  # is told, line by line, what is run and how long that takes
    runs: int = 0  # disturbed runs to compare with an undisturbed one; 0: the run itself is disturbed
    trace: TraceOptions | None = None  # where a trace of the run goes, and what of it
    recorded: bool = False  # the report is to hold what is needed to repeat the run
    command: tuple[str, ...] = ()  # the arguments of `emu`
    compiled_from: Path | None = None  # the model of an image that is compiled for this run only
    warnings: tuple[str, ...] = ()  # of that compilation


def run_job(job: Job, zygotes: Zygotes | None = None) -> Report:
    """Run, compare, and report; raises EmuErrors only, whatever the files hold. `zygotes`: as of `power_on`."""
    if job.bisect:
        from launch.runs.searching import run_and_search

        return run_and_search(job, lambda: _run_job(job, zygotes))
    return _run_job(job, zygotes)


def _run_job(job: Job, zygotes: Zygotes | None) -> Report:
    from emu.image.reader import open_image

    began = time.monotonic()
    image = open_image(job.out, verify=False)  # whoever powers the chip on verifies, once
    if image.manifest.segments:
        refuse_idle(image, job.options, job.keep, job.trace is not None)
    if job.model:
        check_model(job.model, image.manifest, str(job.out))
        image = replace(image, manifest=of_model(image.manifest, job.model))
    if isinstance(zygotes, ZygoteAhead) and not image.manifest.segments:
        zygotes.expect(job.out, job.options.engine)
    if job.check:
        refuse_refuted(job.out, job.options.flow)
    steps = choose_steps(job, image)
    inputs, given = choose_inputs(job, image)
    labels = choose_labels(job, image, sample_count(inputs))
    if job.min_accuracy is not None and labels is None:
        raise InputError(f"{option('min_accuracy')} needs labels to count right ones: give {option('labels')} KEY, too")
    kept = choose_kept(job, image)
    golden, note = choose_golden(job, image, inputs, given, steps)
    middle, unused = golden_of_kept(job, image, inputs, kept, steps), tuple(left_out(job, image, kept))
    if job.artefacts:
        job.artefacts.keep(inputs, golden.arrays if golden else None)
        job.artefacts.launches(job.input if job.labels else None, launch_arguments(job))
    seed = _seed(job, image, given)
    job = replace(job, options=replace(job.options, seed=seed or 0))
    if job.details:
        _tell(job.details, what_runs(job, image, inputs, given, seed))
    observers = observers_of(job.trace, job.out, job.options.flow)
    prepared = time.monotonic()
    with (
        _store(job, image, inputs, kept) as store,
        launch_view(sample_count(inputs) * job.repeat, job.quiet) as advance,
    ):
        options = replace(job.options, chaos=None) if job.runs else job.options
        first = steps.initial if steps else None
        result = run(
            job.out,
            inputs,
            options,
            job.repeat,
            kept,
            advance,
            store,
            zygotes,
            job.notice,
            job.details,
            first,
            observers,
        )
    series = _series(job, inputs, kept, result, zygotes, steps)
    measured = measure(image, result) if job.recorded or job.budget else {}
    report = Report(
        options,
        result,
        compare_outputs(job, result, golden),
        note,
        accuracy(result, labels),
        compare_kept(job, result, middle),
        job.keep_informs,
        image.manifest.model.name,
        {origin.tensor: origin.node for origin in image.manifest.tensors},
        series,
        record(job, image, inputs, given, seed, result) if job.recorded else {},
        job.min_accuracy,
        tuple(job.budget.exceeded(measured)) if job.budget else (),
        measured,
        drawn=seed if given == "seed" and inputs else None,
        unused=unused,
        hollow=hollow(image, job.compiled_from or job.out),
    )
    if job.details:
        _tell(job.details, times(began, prepared, result, job))
    return report


def _tell(details: Notice, lines: Iterable[str]) -> None:
    for line in lines:
        details(line)


def _seed(job: Job, image: Image, given: str) -> int | None:
    """The seed of the inputs; None for those of a file, or if the image does not tell."""
    if given == "seed":
        return job.seed or 0
    stored = image.manifest.options.get("seed", "")
    return int(stored) if given == "default" and stored.isdecimal() else None


def _series(
    job: Job,
    inputs: Mapping[str, np.ndarray],
    kept: Sequence[KeptTensor],
    undisturbed: RunResult,
    zygotes: Zygotes | None,
    steps: Steps | None,
) -> Series | None:
    """The disturbed runs that --runs asks for; nothing of them is saved."""
    if not job.runs or job.options.chaos is None:
        return None

    def once(chaos: Chaos) -> tuple[str, Mapping[str, int]]:
        options = replace(job.options, chaos=chaos)
        result = run(
            job.out, inputs, options, job.repeat, kept, zygotes=zygotes, initial=steps.initial if steps else None
        )
        return _digest(result), result.told["injected"]

    return run_series(job.options.chaos, job.runs, _digest(undisturbed), once, job.quiet)


def _digest(result: RunResult) -> str:
    """One digest of everything that came out."""
    kept = {kept_key(name): array for name, array in result.kept.items()}
    outputs = {output_key(name): array for name, array in result.outputs.items()}
    return digest_of({**kept, **outputs, "repetitions": np.array([result.repeats_equal])})


def choose_inputs(job: Job, image: Image) -> tuple[dict[str, np.ndarray], str]:
    """Inputs (samples,) + shape and where they are from: "file", "values", "default" (stored in `out/`) or "seed"."""
    states = {state.input for state in image.manifest.states} if job.stateful else set()
    specs = [spec for spec in image.manifest.inputs if spec.name not in states]
    if job.input:
        return load_inputs(job.input, specs), "file"
    if job.labels:
        raise InputError("--labels names an array of the input file: give --input FILE.npz, too")
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


def _store(
    job: Job, image: Image, inputs: Mapping[str, np.ndarray], kept: Sequence[KeptTensor]
) -> AbstractContextManager[SampleStore | None]:
    """Where finished samples go: to the side file of --save, bound to image, inputs and engine."""
    if job.save is None:
        if job.resume:
            raise InputError("--resume continues an interrupted run: name its output file with --save FILE.npz, too")
        return nullcontext()
    tensors = [
        *(Tensor(kept_key(k.name), k.name, k.dtype.str, k.form.shape) for k in kept),
        # Last, because of two arrays of one name the later one is in the file.
        *(Tensor(output_key(s.name), s.name, s.dtype.numpy.str, tuple(s.shape)) for s in image.manifest.outputs),
    ]
    manifest = digest(job.out / MANIFEST_FILE).sha256
    engine, count = job.options.engine, sample_count(inputs)
    binding = Binding(manifest, digest_of_samples(inputs), engine, count, tuple(tensors))
    return SampleStore(job.save, binding, job.resume, partial=job.artefacts is not None)
