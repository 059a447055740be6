"""Results of executors of time as plain values, to be compared."""

from __future__ import annotations

from typing import Any

from emu.timing.basis.result import SectionTiming, Timing


def everything(timing: Timing) -> dict[str, Any]:
    """All of a result but the log."""
    return {"cores": timing.cores, "init": section(timing.init), "main": section(timing.main)}


def section(part: SectionTiming) -> dict[str, Any]:
    """All of one section."""
    return {
        "begin": part.begin,
        "ends": part.ends.tolist(),
        "busy": [busy.tolist() for busy in part.busy],
        "blocked": part.blocked.tolist(),
        "waits": dict(part.waits),
        "executions": [executions.tolist() for executions in part.executions],
        "memory": part.memory,
        "links": dict(part.links),
    }
