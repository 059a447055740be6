"""Runs one case of the suite: freeze, compile, check, core processes, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from onnx import ModelProto

from emu.errors import CompileError, EmuError
from launch.conformance.differing import difference
from launch.conformance.frozen import constant_outputs, frozen_inputs, graph_inputs, weight_inputs
from launch.conformance.prepared import PreparedModel
from launch.conformance.result import (
    EMPTY,
    FAILED,
    HOSTED,
    PASSED,
    REFUSED,
    SKIPPED,
    CaseInputs,
    ConformanceResult,
    fewest_frozen,
)
from launch.processes.zygote_process import Zygotes

_EMPTY = "no output has an element, so nothing is compared"
_NO_DATA = "the suite has no data for it"
DataSet = tuple[list[np.ndarray], list[np.ndarray]]  # inputs and expected outputs, in the order of the graph


@dataclass(frozen=True, slots=True)
class ConformanceTrial:
    """A case with its model and data, as it goes from process to process; at most `cores` cores may be used.

    With `host_fallback` the host does what the compiler refuses. `missing` says why it cannot be run, if it cannot.
    """

    name: str
    kind: str
    operator: str
    model: bytes
    data: Sequence[DataSet]
    rtol: float
    atol: float
    cores: int
    host_fallback: bool = False
    missing: str = ""

    def result(
        self, outcome: str, reason: str = "", seconds: float = 0.0, inputs: CaseInputs | None = None
    ) -> ConformanceResult:
        """The result of the trial."""
        return ConformanceResult(self.name, self.kind, self.operator, outcome, reason, seconds, inputs or CaseInputs())


def run_trial(
    trial: ConformanceTrial, folder: Path, zygotes: Zygotes, prepare: Callable[..., PreparedModel] = PreparedModel
) -> ConformanceResult:
    """The result of `trial`, which never raises; its image is in `folder` meanwhile."""
    began, inputs = time.monotonic(), CaseInputs()
    try:
        outcome, reason, inputs = _outcome(trial, folder, zygotes, prepare)
    except EmuError as error:
        outcome, reason = FAILED, str(error)
    except Exception as error:  # a bug of ours must not end what tells of it
        outcome, reason = FAILED, f"internal error ({type(error).__name__}: {' '.join(str(error).split())[:200]})"
    return trial.result(outcome, reason, time.monotonic() - began, inputs)


def _outcome(
    trial: ConformanceTrial, folder: Path, zygotes: Zygotes, prepare: Callable[..., PreparedModel]
) -> tuple[str, str, CaseInputs]:
    """The result with as few frozen inputs as possible, and once more with its weights on crossbars."""
    if trial.missing:
        return SKIPPED, trial.missing, CaseInputs()
    model = ModelProto.FromString(trial.model)
    table, options = frozen_inputs(model.graph), {"cores": trial.cores}
    if not trial.data:
        return SKIPPED, _NO_DATA, CaseInputs()

    def refusal(frozen: Sequence[str]) -> str:
        attempt = prepare(model, folder, zygotes, frozen=frozen, **options)
        try:
            attempt.compile(attempt.bind(trial.data[0][0]))
        except CompileError as error:  # what the checker refutes is none: that is a wrong program of ours
            return str(error)
        return ""

    inputs = fewest_frozen(table, len(graph_inputs(model.graph)), refusal)
    inputs = replace(inputs, idle=bool(constant_outputs(model.graph, inputs.frozen)))
    forms = [inputs.frozen]
    if not weight_inputs(model.graph).isdisjoint(set(table) - set(inputs.frozen)):
        forms.append(table)
    found = REFUSED, ""
    for frozen in forms:
        form = prepare(model, folder, zygotes, frozen=frozen, host_fallback=trial.host_fallback, **options)
        found = _of_form(trial, form)
        if found[0] not in (PASSED, HOSTED):
            break
    return *found, inputs


def _of_form(trial: ConformanceTrial, prepared: PreparedModel) -> tuple[str, str]:
    """The result with some inputs frozen."""
    elements = 0
    for inputs, expected in trial.data:
        try:
            values = prepared.bind(inputs)
            prepared.compile(values)
        except CompileError as error:
            return REFUSED, str(error)
        outputs = prepared.run(values)
        got = [outputs[name] for name in prepared.outputs]
        if wrong := difference(prepared.outputs, got, expected, trial.rtol, trial.atol):
            return FAILED, wrong
        elements += sum(array.size for array in got)
    if not elements:
        return EMPTY, _EMPTY
    if not prepared.host_nodes:
        return PASSED, ""
    return (REFUSED, why) if (why := prepared.hollow) else (HOSTED, ", ".join(prepared.host_nodes))
