"""Runs a function in a child process that kills itself at its k-th system call, or in which that call fails."""

from __future__ import annotations

import mmap
import os
import signal
import struct
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from emu.output.calls import CALLS, SystemCalls

NAMES = [name for name in vars(SystemCalls) if not name.startswith("_")]
_SHARED = struct.Struct("<qq")


@dataclass(frozen=True)
class Death:
    """How a child ended: killed at the chosen call or not, what it had noted, how many calls it made."""

    killed: bool
    noted: int
    calls: int


@contextmanager
def every_call(before: Callable[[str, tuple[Any, ...]], None], after: Callable[[], None] = lambda: None):
    """Within, `before` is called ahead of each system call, and `after` when it is done; also in `shutil.rmtree`."""
    originals = {name: getattr(SystemCalls, name) for name in NAMES}
    removals = {name: getattr(os, name) for name in ("unlink", "rmdir")}

    def wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            before(name, arguments)
            result = function(*arguments, **options)
            after()
            return result

        return call

    try:
        for name, function in originals.items():
            setattr(CALLS, name, wrapped(name, function))
        for name, function in removals.items():
            setattr(os, name, wrapped(name, function))
        yield
    finally:
        for name in originals:
            delattr(CALLS, name)
        for name, function in removals.items():
            setattr(os, name, function)


def run_dying(action: Callable[[Callable[[int], None]], None], at: int | None, torn: bool = False) -> Death:
    """Fork, and run `action` with a function that notes a number; SIGKILL comes right before call `at` (from 0 on).

    `torn`: if that call writes, the first half is written before.
    """
    shared = mmap.mmap(-1, _SHARED.size)

    def note(number: int) -> None:
        shared[:8] = number.to_bytes(8, "little", signed=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside the thread of a time limit
        child = os.fork()
    if child == 0:
        calls = 0

        def before(name: str, arguments: tuple[Any, ...]) -> None:
            nonlocal calls
            if calls == at:
                if torn and name == "write":
                    os.write(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1
            shared[8:] = calls.to_bytes(8, "little")

        try:
            with every_call(before):
                action(note)
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    noted, calls = _SHARED.unpack(shared[:])
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed or status == 0, f"the child ended with status {status}"
    return Death(killed, noted, calls)


def deaths(prepare: Callable[[], None], action: Callable[[Callable[[int], None]], None], torn: bool = False):
    """Run `action` after `prepare`, killed at its first call, its second, and so on; yields each place and death."""
    at = 0
    while True:
        prepare()
        death = run_dying(action, at, torn)
        if not death.killed:
            assert at > 5, "nothing was counted"
            return
        yield at, death
        at += 1
