"""The answer of `emu sweep`."""

from __future__ import annotations

from functools import partial
from typing import Any

from emu.errors import InputError
from launch.sweeps.drawing import draw
from launch.sweeps.report import SweepReport
from launch.text.answer import Answer, warnings


def sweep_answer(report: SweepReport) -> Answer:
    """The answer; a failure if no chip has figures."""
    failed: dict[str, Any] = {"error": report.failure, "exit_code": InputError.exit_code} if report.failure else {}
    return Answer(
        failed | report.values(),
        [*report.lines(), report.table(), *report.reasons(), *report.notes],
        warnings(report.warnings),
        failure=report.failure,
        exit_code=failed.get("exit_code", 0),
        csv=report.csv,
        draw=None if report.failure else partial(draw, report),
    )
