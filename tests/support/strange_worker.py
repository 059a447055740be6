"""A worker that does what a test wants of it, beside what it should."""

from __future__ import annotations

import importlib
import os
import signal
import struct
import sys
import time
from typing import Any

from launch.workers.failures import WorkerRefusal
from launch.workers.serving import serve


def echo(**given: Any) -> Any:
    """What was given."""
    return given


def refuse(reason: str) -> None:
    raise WorkerRefusal(reason)


def fail(reason: str) -> None:
    raise ValueError(reason)


def end(status: int) -> None:
    print("these are my last words", file=sys.stderr)
    sys.exit(status)


def die(number: int) -> None:
    os.kill(os.getpid(), number)


def sleep(seconds: float) -> str:
    time.sleep(seconds)
    return "awake"


def unsendable() -> object:
    return object()


def say(content: bytes) -> None:
    """Write what need not be a message where answers go, and nothing more."""
    os.write(int(sys.argv[2]), content)
    signal.pause()


def lie(length: int) -> None:
    """Promise so many bytes, and end without them."""
    os.write(int(sys.argv[2]), struct.pack("!Q", length))
    sys.exit(0)


def hang_up() -> None:
    """Close the socket and live on."""
    os.close(int(sys.argv[2]))
    signal.pause()


def environment(name: str) -> str | None:
    return os.environ.get(name)


def loaded(module: str, by: str = "sys") -> bool:
    """Whether a module is there once another one is imported."""
    importlib.import_module(by)
    return module in sys.modules


def end_badly_later() -> None:
    import atexit

    atexit.register(os._exit, 7)


if __name__ == "__main__":
    functions = (echo, refuse, fail, end, die, sleep, unsendable, say, lie, hang_up, environment, loaded)
    serve({function.__name__: function for function in (*functions, end_badly_later)})
