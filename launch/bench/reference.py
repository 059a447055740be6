"""What people would use instead: onnxruntime with one thread, warm in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from emu.output.scratch import ScratchFolder
from launch.bench.probe import BenchError
from launch.processes.interpreter import child_environment

AGAINST = "onnxruntime, 1 thread"
CHILD = Path(__file__).with_name("reference_child.py")
CLOSE = 1e-3  # of the largest magnitude: what graph optimisation may change


class Reference:
    """A warm onnxruntime; `outputs` are those of the first run."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self.version = str(self._answer()["version"])
        with np.load(folder / "outputs.npz") as stored:
            self.outputs = dict(stored)

    def seconds(self) -> float:
        """The time of one run, measured in its process."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"run\n")
        self._process.stdin.flush()
        return float(self._answer()["seconds"])

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"onnxruntime's process died with exit code {self._process.wait()}")
        return json.loads(line)

    def check(self, outputs: Mapping[str, np.ndarray]) -> None:
        """Raise BenchError if `outputs` are other values: a wrong result has no speed."""
        for name, expected in self.outputs.items():
            difference = float(np.max(np.abs(outputs[name] - expected), initial=0))
            if not difference <= CLOSE * float(np.max(np.abs(expected), initial=0)):
                raise BenchError(f"output {name!r} differs from onnxruntime's by {difference:.3g}: nothing to measure")


@contextmanager
def reference(model: Path, inputs: Mapping[str, np.ndarray]) -> Iterator[Reference]:
    """Start onnxruntime on `model` with default graph optimisation, run it once, keep it warm."""
    with _folder(inputs) as folder:
        pipe = subprocess.PIPE
        with subprocess.Popen(command_of(model, folder), stdin=pipe, stdout=pipe, env=child_environment()) as process:
            try:
                yield Reference(process, folder)
            finally:
                assert process.stdin is not None
                process.stdin.close()


def cold_seconds(model: Path, inputs: Mapping[str, np.ndarray]) -> float:
    """Seconds of a whole process that opens the model and runs it once; raises BenchError if it fails."""
    with _folder(inputs) as folder:
        began = time.perf_counter()
        done = subprocess.run(
            command_of(model, folder), stdin=subprocess.DEVNULL, capture_output=True, env=child_environment()
        )
        passed = time.perf_counter() - began
    if done.returncode:
        raise BenchError(f"onnxruntime's process ended with exit code {done.returncode} on {model}")
    return passed


@contextmanager
def _folder(inputs: Mapping[str, np.ndarray]) -> Iterator[Path]:
    """A folder with the inputs, where the child leaves its outputs."""
    with ScratchFolder("reference") as folder:
        np.savez(folder / "inputs.npz", allow_pickle=False, **inputs)
        yield folder


def command_of(model: Path, folder: Path) -> list[str]:
    """The command of the process that measures onnxruntime on `model` with the inputs in `folder`."""
    return [sys.executable, "-P", str(CHILD), str(model), str(folder)]
