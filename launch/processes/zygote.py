"""The zygote: a fresh process that imports everything once, forks memory node and cores, and kills them at the end.

`python -m launch.processes.zygote DIRECTORY...` reads its orders from standard input, which stays open as long as the
launcher lives; the directories are removed at the end.
"""

from __future__ import annotations

import gc
import shutil
import signal
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.processes.fork_requests import ForkRequest


def main() -> int:
    """Serve one run; returns when the launcher has ended or closes the run."""
    become_quiet()
    return serve_run(sys.argv[1:])


def become_quiet() -> None:
    """Reset SIGINT to its default, and disable the garbage collector."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # kills the process, also cores, and is reported like any other signal
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # blocked until now: it would have printed a traceback
    gc.disable()  # imported objects stay: collecting them takes a tenth of the time of all imports


def serve_run(directories: Iterable[str]) -> int:
    """Serve one run and remove the `directories` at its end (an empty name is none); the exit status."""
    try:
        from launch.processes.forking import serve

        return serve()
    finally:
        for directory in filter(None, directories):
            shutil.rmtree(directory, ignore_errors=True)


def serve_forked(request: ForkRequest) -> int:
    """`serve_run` as the `work` of a `ForkRequest`."""
    return serve_run(request.directories)


if __name__ == "__main__":
    sys.exit(main())
