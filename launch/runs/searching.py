"""A run, and where it differs first if it does: what `--bisect` asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from emu.errors import EmuError, InputError, option
from emu.image.reader import open_image
from launch.bisect.finding import Finding
from launch.images.checking import Refuted
from launch.supervision.errors import CoreTrapped, Deadlock, IncompleteOutput, LeftOver

if TYPE_CHECKING:
    from launch.runs.job import Job
    from launch.runs.report import Report

SEARCHED = (Refuted, CoreTrapped, Deadlock, LeftOver, IncompleteOutput)  # errors that lie in the programs
RIGHT = "the outputs are right: there is nothing to look for"


def run_and_search(job: Job, run: Callable[[], Report]) -> Report:
    """The report of `run`, with what was found if it is wrong; raises what `run` raises, with that as a detail."""
    _check(job)
    try:
        report = run()
    except SEARCHED as error:
        try:
            finding = _search(job, getattr(error, "sample", 0))
        except EmuError:  # of a run that fails, the error of the run is what counts
            raise error from None
        error.details = {**error.details, "bisect": finding.to_dict()}
        for line in finding.lines() if job.notice is not None else ():
            job.notice(line)
        raise
    wrong = [tensor for tensor in report.verdict.tensors if not tensor.passed] if report.verdict else []
    if not wrong:
        return replace(report, finding=Finding(0, note=RIGHT))
    sample = wrong[0].worst[0] if wrong[0].worst else 0
    return replace(report, finding=_search(job, sample))


def _check(job: Job) -> None:
    """Raise InputError for what cannot be searched, before anything runs."""
    from launch.runs.comparison import NONE

    if job.golden == NONE:
        raise InputError(f"{option('bisect')} looks for where golden values differ: leave {option('golden', NONE)} out")
    if not (job.model or job.compiled_from):
        raise InputError(
            f"{option('bisect')} computes the golden values of all tensors: give {option('model')} FILE.onnx, too"
        )
    if open_image(job.out, verify=False).manifest.segments:
        raise InputError(
            f"{option('bisect')}: the network runs in segments with host nodes, which is not searched: "
            "launch the image of one of its segments of cores with the file that it was compiled from"
        )


def _search(job: Job, sample: int) -> Finding:
    from launch.bisect.search import Question, bisect
    from launch.runs.comparison import source_of
    from launch.runs.job import choose_inputs, choose_steps

    image = open_image(job.out, verify=False)
    model = job.model or job.compiled_from
    assert model is not None
    inputs, _ = choose_inputs(job, image)
    count = max(1, min((len(array) for array in inputs.values()), default=1))
    return bisect(
        Question(
            image=job.out,
            model=model,
            inputs=inputs,
            sample=min(max(sample, 0), count - 1),
            source=source_of(job.golden) or "onnxruntime",
            tolerance=job.tolerance,
            options=job.options,
            steps=choose_steps(job, image),
        )
    )
