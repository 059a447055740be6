"""Golden values for tests that are not about them: by processes that stay, and for the examples once."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import leaks
from commands import EXAMPLES

from emu.errors import EmuError
from launch.golden.golden_process import GoldenProcess, evaluate


class GoldenOnce:
    """Stands for `evaluate`; `folder` keeps by digest of what was asked for what the evaluator has answered.

    There is a process per front end. What it refuses, and what it dies of, a fresh one is asked for, too.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._processes: dict[str, GoldenProcess] = {}

    def evaluate(self, folder: Path, model: Path, source: str, request: Mapping[str, Any], *given: Any) -> Any:
        """What `evaluate` returns; the examples, which no test changes, are evaluated once for the same inputs."""
        if Path(request["model"]).parent != EXAMPLES.resolve():
            return self._answer(folder, model, source, request, *given)
        inputs = [path.read_bytes() for path in sorted(folder.glob("in*.npy"))]
        answer = self._folder / hashlib.sha256(b"".join((json.dumps(request).encode(), *inputs))).hexdigest()
        if not answer.exists():
            given_files = set(folder.glob("*.npy"))
            result = self._answer(folder, model, source, request, *given)
            answer.mkdir()
            (answer / "result.json").write_text(json.dumps(result))
            for made in set(folder.glob("*.npy")) - given_files:
                shutil.copy(made, answer)
        for kept in answer.glob("*.npy"):
            shutil.copy(kept, folder)
        return json.loads((answer / "result.json").read_text())

    def _answer(self, folder: Path, model: Path, source: str, request: Mapping[str, Any], *given: Any) -> Any:
        with self._lock:
            try:
                process = self._process(request["evaluators"], model, source)
                return process.call("compute", folder=str(folder), **request)
            except EmuError:
                pass
        return evaluate(folder, model, source, request, *given)

    def _process(self, evaluators: str, model: Path, source: str) -> GoldenProcess:
        process = self._processes.get(evaluators)
        if process is None or process.busy or process.has_ended():
            if process is not None:
                process.close()
            process = self._processes[evaluators] = GoldenProcess(self._folder, model, source)
            leaks.LASTING.add(process.pid)
        return process

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.close()
