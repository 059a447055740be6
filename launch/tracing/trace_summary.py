"""The summary of a recorded trace: lines for people, plain values for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.wording import counted
from launch.text.units import ranges


def trace_lines(summary: Mapping[str, Any]) -> list[str]:
    """The size of the trace, and a warning if events are lost; `summary` as of `TraceRecording.observed`."""
    lines = [f"trace: {counted(summary['events'], 'event')} in {summary['file']}: open it at ui.perfetto.dev"]
    if dropped := summary["dropped"]:
        cores = f"core{'' if len(dropped) == 1 else 's'} {ranges(list(dropped))}"
        lines.append(
            f"warning: the oldest {counted(sum(dropped.values()), 'event')} of {cores} are not in the trace,"
            f" which keeps {summary['most']} of each core"
        )
    if gone := [host["host"] for host in summary["hosts"] if not host["whole"]]:
        lines.append(
            f"warning: what cores on host {', '.join(gone)} did last is not in the trace: it could not be asked"
        )
    return lines


def summary_values(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The summary as plain values for JSON."""
    return {**summary, "dropped": {str(core): count for core, count in summary["dropped"].items()}}
