"""Runs one case of the suite: freeze, compile, check, core processes, compare."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import ModelProto

from emu.errors import CompileError, EmuError
from launch.conformance.dependence import constant_outputs
from launch.conformance.differing import difference
from launch.conformance.prepared import Prepared
from launch.conformance.result import CONSTANT, FAILED, HOSTED, PASSED, REFUSED, SKIPPED, Result
from launch.processes.zygote_process import Zygotes

DataSet = tuple[list[np.ndarray], list[np.ndarray]]  # inputs and expected outputs, in the order of the graph


@dataclass(frozen=True, slots=True)
class Trial:
    """A case with its model and data, as it goes from process to process; at most `cores` cores may be used.

    With `host_fallback` the host does what the compiler refuses.
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

    def result(self, outcome: str, reason: str = "", seconds: float = 0.0) -> Result:
        """What came of it."""
        return Result(self.name, self.kind, self.operator, outcome, reason, seconds)


def run_trial(trial: Trial, folder: Path, zygotes: Zygotes, prepare: Callable[..., Prepared] = Prepared) -> Result:
    """What comes of `trial`, whatever goes wrong; its image stands in `folder` for the time being."""
    began = time.monotonic()
    try:
        outcome, reason = _outcome(trial, folder, zygotes, prepare)
    except EmuError as error:
        outcome, reason = FAILED, str(error)
    except Exception as error:  # a bug of ours must not end what tells of it
        outcome, reason = FAILED, f"internal error ({type(error).__name__}: {' '.join(str(error).split())[:200]})"
    return trial.result(outcome, reason, time.monotonic() - began)


def _outcome(trial: Trial, folder: Path, zygotes: Zygotes, prepare: Callable[..., Prepared]) -> tuple[str, str]:
    model = ModelProto.FromString(trial.model)
    prepared = prepare(model, folder, zygotes, cores=trial.cores, host_fallback=trial.host_fallback)
    if constant := constant_outputs(model.graph, prepared.frozen):
        return CONSTANT, f"output '{constant[0]}' depends on no value that is there at run time only"
    if not trial.data:
        return SKIPPED, "the suite has no data for it"
    for inputs, expected in trial.data:
        try:
            values = prepared.bind(inputs)
            prepared.compile(values)
        except CompileError as error:  # what the checker refutes is none: that is a wrong program of ours
            return REFUSED, str(error)
        outputs = prepared.run(values)
        got = [outputs[name] for name in prepared.outputs]
        if wrong := difference(prepared.outputs, got, expected, trial.rtol, trial.atol):
            return FAILED, wrong
    if not prepared.host_nodes:
        return PASSED, ""
    return (REFUSED, why) if (why := prepared.hollow) else (HOSTED, ", ".join(prepared.host_nodes))
