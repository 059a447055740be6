"""A real scheduler of Dask and workers, as processes of this host; skips where Dask is not installed."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from standing_agents import until

SUPPORT = Path(__file__).parent
_LISTENS = re.compile(rb"Scheduler at:\s+(\S+)")


class Cluster:
    """A context manager; `scheduler` is its address, workers come by `join`."""

    def __init__(self, folder: Path) -> None:
        pytest.importorskip("distributed", reason="Dask is not installed here")
        self._folder, self._processes = folder, list[subprocess.Popen[bytes]]()
        where = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self._start("scheduler", where)
        found = until(lambda: _LISTENS.search(self._log("scheduler")), 30)
        self.scheduler = found[1].decode()

    def join(self, hosts: Sequence[str]) -> list[subprocess.Popen[bytes]]:
        """Start a worker at each of these addresses of this host, and wait until all are there."""
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0"]
        found = [self._start(f"worker-{n}", [self.scheduler, "--host", host, *options]) for n, host in enumerate(hosts)]
        until(lambda: all(b"Registered to" in self._log(f"worker-{n}") for n in range(len(hosts))), 30)
        return found

    def _start(self, name: str, words: Sequence[str]) -> subprocess.Popen[bytes]:
        local = ["--local-directory", self._folder] if name != "scheduler" else []
        command = [sys.executable, "-m", "distributed.cli.dask_" + name.partition("-")[0], *words, *local]
        path = os.pathsep.join([str(SUPPORT), str(SUPPORT.parents[1])])
        with (self._folder / name).open("wb") as log:
            self._processes.append(
                subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "PYTHONPATH": path})
            )
        return self._processes[-1]

    def _log(self, name: str) -> bytes:
        assert all(process.poll() is None for process in self._processes), (self._folder / name).read_text()
        return (self._folder / name).read_bytes()

    def kill_scheduler(self) -> None:
        self._processes[0].kill()
        self._processes[0].wait()

    def text(self) -> str:
        """All that scheduler and workers have written to their logs."""
        return "".join(path.read_text() for path in self._folder.iterdir() if path.is_file())

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
