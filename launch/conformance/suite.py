"""Runs the suite from its cases to a report."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import onnx

from emu.output.scratch import ScratchFolder
from launch.conformance.cases import KINDS, Case, collect
from launch.conformance.report import ConformanceReport
from launch.conformance.result import SKIPPED, Result
from launch.conformance.running import Done, Workers
from launch.conformance.selecting import Selection
from launch.text.progress import progress_bar

TIMEOUT = 300.0  # seconds for a case


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions:
    """What is run, and how: `kinds` of cases, `jobs` at a time, `timeout` seconds for a case, `deadline` for all.

    With `host_fallback` the host does what the compiler refuses.
    """

    kinds: Sequence[str] = tuple(KINDS)
    selection: Selection = field(default_factory=Selection)
    jobs: int = 1
    timeout: float = TIMEOUT
    deadline: float | None = None
    host_fallback: bool = False
    quiet: bool = False


def run_suite(options: SuiteOptions) -> ConformanceReport:
    """Run the cases that are meant; raises InputError if there is none, or if no process can be had for them."""
    began = time.monotonic()
    until = math.inf if options.deadline is None else began + options.deadline
    cases = options.selection.of(collect(options.kinds))
    results: dict[tuple[str, str], Result] = {}
    with progress_bar("cases", len(cases), options.quiet) as advance:

        def done(result: Result) -> None:
            results[result.kind, result.name] = result
            advance()

        for case in cases:
            if case.missing:
                done(Result(case.name, case.kind, case.operator, SKIPPED, case.missing))
        _run([case for case in cases if not case.missing], options, done, until)
    ordered = [results[case.kind, case.name] for case in cases]
    return ConformanceReport(ordered, time.monotonic() - began, _about(options))


def _run(cases: Sequence[Case], options: SuiteOptions, done: Done, until: float) -> None:
    jobs = min(options.jobs, len(cases))
    with ScratchFolder("conformance") as folder, Workers(folder, jobs, options.timeout) as workers:
        workers.run((case.trial(options.host_fallback) for case in cases), done, until)


def _about(options: SuiteOptions) -> dict[str, Any]:
    """How it was run, for --json."""
    chosen = options.selection
    return {
        "onnx": onnx.__version__,
        "kinds_asked": list(options.kinds),
        "op": chosen.op or None,
        "case": chosen.case or None,
        "all": chosen.all,
        "sample": chosen.sample,
        "seed": chosen.seed,
        "jobs": options.jobs,
        "timeout": options.timeout,
        "deadline": options.deadline,
        "host_fallback": options.host_fallback,
    }
