"""A run from files to a report: inputs, golden values, the run itself, the comparison."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from emu.chaos.spec import Chaos
from emu.errors import InputError
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import open_image
from launch.chaos.series import Series, run_series
from launch.images.hollow import hollow
from launch.machines.hosts.keeping import kept_hosts
from launch.processes.zygote_process import ZygoteAhead, Zygotes
from launch.runs.comparison import accuracy, compare_kept, compare_outputs
from launch.runs.details import times, what_runs
from launch.runs.expecting import expect
from launch.runs.measures import measure
from launch.runs.preparing import PreparedJob, prepare
from launch.runs.record import record
from launch.runs.report import RunReport
from launch.runs.request import Job
from launch.runs.result import RunResult
from launch.runs.running import RunListeners, run
from launch.runs.tracing import observers_of
from launch.samples.binding import Binding, StoredTensor, digest_of_samples, kept_key, output_key
from launch.samples.store import SampleStore
from launch.supervision.stopped_processes import Notice
from launch.text.live import launch_view


def run_job(job: Job, zygotes: Zygotes | None = None) -> RunReport:
    """Run, compare, and report; raises EmuErrors only, whatever the files hold. `zygotes`: as of `power_on`."""
    if job.bisect:
        from launch.runs.searching import run_and_search

        return run_and_search(job, lambda: _run_job(job, zygotes))
    with kept_hosts(job.options.hosts if job.chaos_runs else None):
        return _run_job(job, zygotes)


def _run_job(job: Job, zygotes: Zygotes | None) -> RunReport:
    began = time.monotonic()
    image = open_image(job.out, verify=False)  # verified once, at power-on
    if isinstance(zygotes, ZygoteAhead) and not image.manifest.segments:
        zygotes.expect(job.out, job.options.engine)
    prepared = prepare(job, image)
    expected = expect(prepared)
    job = prepared.job
    if job.artefacts:
        job.artefacts.keep(prepared.inputs, expected.outputs.arrays if expected.outputs else None)
        job.artefacts.launches(job.input if job.labels else None, job.arguments())
    if job.details:
        _print_details(job.details, what_runs(prepared))
    trial = None
    observers = observers_of(job.trace, job.out, job.options.flow)
    if job.options.analog:
        from launch.runs.gathering import Trials

        trial = Trials(prepared, expected)
        observers = [trial.counting, *observers]  # before what drives cores
    ready = time.monotonic()
    options = replace(job.options, chaos=None) if job.chaos_runs else job.options
    with _store(prepared) as store, launch_view(prepared.all_samples * job.repeat, job.quiet) as advance:
        followers = RunListeners(advance, job.notice, job.details, observers, trial.add if trial else None)
        result = run(prepared, options, zygotes, store, followers)
    measured = measure(prepared.image, result) if job.recorded or job.budget else {}
    report = RunReport(
        options,
        result,
        compare_outputs(job, result, expected.outputs),
        expected.note,
        accuracy(result, prepared.labels, job.trials),
        None if trial else compare_kept(job, result, expected.kept),
        job.keep_informs,
        image.manifest.model.name,
        {origin.tensor: origin.node for origin in image.manifest.tensors},
        _series(prepared, result, zygotes),
        record(prepared, result) if job.recorded else {},
        job.min_accuracy,
        tuple(job.budget.exceeded(measured)) if job.budget else (),
        measured,
        drawn=prepared.seed if prepared.given == "seed" and prepared.inputs else None,
        unused=tuple(expected.unused),
        hollow=hollow(prepared.image, job.compiled_from or job.out),
        analog=trial.verdict(result) if trial else None,
    )
    if job.details:
        _print_details(job.details, times(began, ready, result, job))
    return report


def _print_details(details: Notice, lines: Iterable[str]) -> None:
    for line in lines:
        details(line)


def _series(prepared: PreparedJob, undisturbed: RunResult, zygotes: Zygotes | None) -> Series | None:
    """The disturbed runs of --chaos-runs; their outputs are not saved."""
    job = prepared.job
    if not job.chaos_runs or job.options.chaos is None:
        return None

    def once(chaos: Chaos) -> tuple[str, Mapping[str, int]]:
        result = run(prepared, replace(job.options, chaos=chaos), zygotes)
        return result.digest(), result.observed["injected"]

    return run_series(job.options.chaos, job.chaos_runs, undisturbed.digest(), once, job.quiet)


def _store(prepared: PreparedJob) -> AbstractContextManager[SampleStore | None]:
    """Where finished samples go: to the side file of --save, bound to image, inputs and engine."""
    job, outputs = prepared.job, prepared.image.manifest.outputs
    if job.save is None:
        if job.resume:
            raise InputError("--resume continues an interrupted run: name its output file with --save FILE.npz, too")
        return nullcontext()
    tensors = [
        *(StoredTensor(kept_key(k.name), k.name, k.dtype.str, k.form.shape) for k in prepared.kept),
        # Last, because of two arrays of one name the later one is in the file.
        *(StoredTensor(output_key(s.name), s.name, s.dtype.numpy.str, tuple(s.shape)) for s in outputs),
    ]
    manifest = digest(job.out / MANIFEST_FILE).sha256
    inputs = digest_of_samples(prepared.inputs)
    samples, analog = prepared.all_samples, job.options.analog
    binding = Binding(manifest, inputs, job.options.engine, samples, tuple(tensors), analog)
    return SampleStore(job.save, binding, job.resume, partial=job.artefacts is not None)
