"""A run with `--bisect`: if it differs, the first place where it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from emu.errors import EmuError, InputError, option
from emu.image.reader import open_image
from launch.bisect.finding import NOTHING, BisectResult
from launch.golden.sources import NONE, evaluator_of, file_of
from launch.golden.verdict import TensorVerdict
from launch.images.checking import Refuted
from launch.runs.expecting import NO_MODEL
from launch.runs.preparing import choose_inputs, choose_steps
from launch.runs.report import RunReport
from launch.runs.request import Job
from launch.supervision.errors import CoreTrapped, Deadlock, IncompleteOutput, LeftoverMessage

SEARCHED = (Refuted, CoreTrapped, Deadlock, LeftoverMessage, IncompleteOutput)  # errors that lie in the programs
RIGHT = "the outputs are right: there is nothing to look for"


def run_and_search(job: Job, run: Callable[[], RunReport]) -> RunReport:
    """The report of `run`, with what was found if it is wrong; raises what `run` raises, with that as a detail."""
    _check(job)
    try:
        report = run()
    except SEARCHED as error:
        try:
            finding = _search(job, getattr(error, "sample", 0))
        except EmuError:  # of a run that fails, only the error of the run is raised
            raise error from None
        error.details = {**error.details, "bisect": finding.to_dict()}
        for line in finding.lines() if job.notice is not None else ():
            job.notice(line)
        raise
    wrong = _wrong(report)
    if not wrong:
        return replace(report, finding=BisectResult(0, note=RIGHT))
    finding = _search(job, wrong[0].worst[0] if wrong[0].worst else 0)
    if finding.note == NOTHING and not finding.changes:
        finding = replace(finding, note=f"{NOTHING}: {_elsewhere(job)}")
    return replace(report, finding=finding)


def _wrong(report: RunReport) -> list[TensorVerdict]:
    """Outputs that differ and, behind them, kept tensors that do."""
    verdicts = [verdict for verdict in (report.verdict, report.kept) if verdict is not None]
    return [tensor for verdict in verdicts for tensor in verdict.tensors if not tensor.passed]


def _elsewhere(job: Job) -> str:
    """Causes of a difference that the search cannot see."""
    if file_of(job.golden):
        return f"{option('golden', job.golden)} has other values than those that the model gives"
    if job.options.chaos is not None:
        return f"the difference is made by {option('chaos')}"
    return f"what differs depends on how it is run: try {option('sequential')}, another engine, transport or flow"


def _check(job: Job) -> None:
    """Raise InputError if the run cannot be searched, before anything runs."""
    manifest = open_image(job.out, verify=False).manifest
    if not (manifest.network_sha256 or manifest.segments or job.model):
        raise InputError(
            f"{option('bisect')} compares with the tensors of a model: {NO_MODEL}; give {option('model')} FILE.onnx if"
            f" there is one whose tensors are called so, or look at it with emu debug {job.out}"
        )
    if job.golden == NONE:
        raise InputError(f"{option('bisect')} looks for where golden values differ: leave {option('golden', NONE)} out")
    if not (job.model or job.compiled_from):
        raise InputError(
            f"{option('bisect')} computes the golden values of all tensors: give {option('model')} FILE.onnx, too"
        )
    if manifest.segments:
        raise InputError(
            f"{option('bisect')}: the network runs in segments with host nodes, which is not searched: "
            "launch the image of one of its segments of cores with the file that it was compiled from"
        )


def _search(job: Job, sample: int) -> BisectResult:
    from launch.bisect.search import Question, bisect

    image = open_image(job.out, verify=False)
    model = job.model or job.compiled_from
    assert model is not None
    inputs, _ = choose_inputs(job, image)
    count = max(1, min((len(array) for array in inputs.values()), default=1))
    question = Question(
        image=job.out,
        model=model,
        inputs=inputs,
        sample=min(max(sample, 0), count - 1),
        source=evaluator_of(job.golden, image.manifest),
        tolerance=job.tolerance,
        options=job.options,
        steps=choose_steps(job, image),
    )
    finding = bisect(question)
    if finding.changes == () and finding.note != NOTHING and question.steps is None:
        from launch.levels.blaming import blamed  # the programs are as compiled: search the levels of the compilation

        finding = blamed(finding, question, job.quiet)
    return finding
