"""Calls a function in a fresh interpreter with one BLAS thread; returns its result, wall time and peak memory.

`python -m launch.bench.probe MODULE:FUNCTION` reads keyword arguments as JSON from standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.core.products.threads import ONE_THREAD
from emu.errors import EmuError
from launch.system.by_name import name_of, named

HOME = Path(__file__).resolve().parents[2]


class BenchError(EmuError):
    """A row that cannot be measured (exit code 2)."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What the function returned, seconds from start to end of its process, and the process's high-water mark.

    `errors` is what it wrote to standard error.
    """

    result: Any
    seconds: float
    peak_bytes: int
    errors: str = ""


def probe(function: Callable[..., Any], variables: Mapping[str, str] | None = None, **arguments: Any) -> Probed:
    """Call `function`, one of a module, in a child process with these further `variables` of its environment.

    Raises BenchError if it fails.
    """
    name = name_of(function)
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-P", "-m", "launch.bench.probe", name],
        input=json.dumps(arguments, default=str).encode(),
        env={**child_environment(), **(variables or {})},
        capture_output=True,
    )
    passed = time.perf_counter() - began
    if done.returncode:
        last = (done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise BenchError(f"{name} failed: {last[:300]}")
    answer = json.loads(done.stdout)
    return Probed(answer["result"], passed, answer["peak_bytes"], done.stderr.decode(errors="replace"))


def child_environment() -> dict[str, str]:
    """Variables for a child of the benchmark: one BLAS thread, and this source tree first."""
    path = os.pathsep.join(filter(None, (str(HOME), os.environ.get("PYTHONPATH"))))
    return {**os.environ, **ONE_THREAD, "PYTHONPATH": path}


def peak_bytes() -> int:
    """The high-water mark of this process's memory; unlike `ru_maxrss` it does not count what was there before exec."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def main() -> None:
    """Call the function; only its result goes to standard output."""
    arguments = json.loads(sys.stdin.buffer.read())
    answer = os.dup(1)
    os.dup2(2, 1)  # whatever the function prints
    result = named(sys.argv[1])(**arguments)
    os.write(answer, json.dumps({"result": result, "peak_bytes": peak_bytes()}).encode())


if __name__ == "__main__":
    main()
