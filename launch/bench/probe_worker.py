"""A worker whose function is measured: it calls one by name, and loads nothing that this does not need."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from launch.system.by_name import named
from launch.workers.serving import serve


def measured(function: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What the function of this name (`module:function`) returns, and the most memory that this process has had."""
    result = named(function)(**arguments)
    return {"result": result, "peak_bytes": peak_bytes()}


def peak_bytes() -> int:
    """The high-water mark of this process's memory; unlike `ru_maxrss` it does not count what was there before exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    serve({"measured": measured})
