"""The launcher's own log of a run, and the merged log of all processes at the end."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from emu.errors import EmuError, InputError
from launch.processes.log import ProcessLog, core_log, path_of
from launch.processes.merged_log import merge_logs
from launch.processes.orders import Orders

LAUNCHER = "launcher"
HELPERS = ("zygote", "memory_node")  # which have logs if they fail
MUCH = 8 << 20  # bytes of logs that an interrupted run, which is to end at once, does not merge


class RunLog:
    """A context manager around a whole run, to be left when its processes are gone; silent until `begin`.

    Raises InputError at the end of a run without an error, if the merged log cannot be written.
    """

    def __init__(self) -> None:
        self._directory: Path | None = None
        self._log = ProcessLog(None, LAUNCHER, 0.0)

    def begin(self, orders: Orders) -> None:
        """Remove the logs of an earlier run of such processes; note what is run."""
        if not orders.options.log_dir:
            return
        self._directory = Path(orders.options.log_dir)
        cores = sorted([*orders.programs, *orders.idle])
        self._names = [LAUNCHER, *HELPERS, *map(core_log, cores)]
        self._began = time.time() - (time.monotonic() - orders.started)
        for path in self._paths():
            if path.is_file() and not path.is_symlink():
                with contextlib.suppress(OSError):  # the process that writes it reports the error
                    path.unlink()
        self._log = ProcessLog(self._directory, LAUNCHER, orders.started)
        options = orders.options
        self.note(
            f"power on: {orders.image}, {len(cores)} core processes, {len(orders.programs)} with a program, "
            f"{options.transport}, {options.flow}, engine {options.engine}, seed {options.seed}"
        )

    def note(self, text: str) -> None:
        """Log an event of the launcher; a log that cannot be written is reported by the processes that write theirs."""
        self._log.last(text)

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._directory is None:
            return
        if value is not None:
            self.note(f"error: {value}" if isinstance(value, EmuError) else f"ended by {type(value).__name__}: {value}")
        self.note("power off")
        interrupted = value is not None and not isinstance(value, Exception)
        if interrupted and sum(path.stat().st_size for path in self._paths() if path.is_file()) > MUCH:
            return
        try:
            merge_logs(self._directory, self._names, self._began)
        except InputError:
            if value is None:
                raise

    def _paths(self) -> Iterator[Path]:
        assert self._directory is not None
        for name in self._names:
            yield path_of(self._directory, name)
