"""The request for a run: an image, its inputs, golden values, and the tensors to keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from emu.options import given
from launch.processes.options import RunOptions
from launch.runs.artefacts import Artefacts
from launch.runs.budget import Budget
from launch.runs.comparing import CompareOptions
from launch.runs.repeating import arguments, run_options
from launch.supervision.stopped_processes import Notice
from launch.tracing.options import TraceOptions


@dataclass(frozen=True, kw_only=True)
class Job(CompareOptions):
    """The parameters of `emu launch`. `golden` is "", none, a source of golden values, or a file."""

    out: Path
    input: Path | None = None
    values: tuple[tuple[str, str], ...] = ()  # instead of a file: inputs by name, as text
    stateful: bool = False  # samples are steps: the chip keeps its states between them
    initial: tuple[Path | tuple[str, str], ...] = ()  # of the states: a file, or names and texts
    model: Path | None = None
    golden: str = ""
    save: Path | None = None
    resume: bool = False
    budget: Budget | None = None  # a run that exceeds it fails
    artefacts: Artefacts | None = None  # gets the artefacts of a failed run
    seed: int | None = None  # None: the stored inputs, or seed 0 if there are none
    options: RunOptions = field(default_factory=RunOptions)
    quiet: bool = False
    check: bool = True  # refuse programs that the checker refutes
    notice: Notice | None = None  # called for processes that are stopped
    details: Notice | None = None  # called with the lines of --verbose
    trace: TraceOptions | None = None  # where a trace of the run goes, and what of it
    recorded: bool = False  # the report is to hold what is needed to repeat the run
    command: tuple[str, ...] = ()  # the arguments of `emu`
    compiled_from: Path | None = None  # the model of an image that is compiled for this run only
    warnings: tuple[str, ...] = ()  # of that compilation

    def arguments(self) -> list[str]:
        """The options of `emu launch` that repeat it, without image, inputs and golden values; it knows no budgets."""
        own = given(self)
        idle = {"bisect", *(() if self.keep else ("keep_informs",)), *(() if self.labels else ("min_accuracy",))}
        model = {"model": self.model} if self.keep else {}
        values = run_options(self.options) | {name: own[name] for name in own if name not in idle} | model
        return arguments(values)
