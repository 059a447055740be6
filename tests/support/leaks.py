"""Finds what a test may leave behind: descendants, run directories, shared memory.

It looks twice per test, and so does without `pathlib` where that takes long.
"""

# ruff: noqa: PTH110, PTH123, PTH208

from __future__ import annotations

import contextlib
import ctypes
import os
import time
from dataclasses import dataclass
from pathlib import Path

PREFIX = "emu-run-"  # of run directories: emu-run-<process>-<random>
PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 3.0  # seconds until something is called a leak
SHARED_MEMORY = Path("/dev/shm")
HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # a kernel may be built without this list
LASTING: set[int] = set()  # processes of fixtures that live longer than a test; what is below them does not
LASTING_TREES: set[int] = set()  # the same, with all that is below them: a browser ends and starts some of its own


def become_subreaper() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@dataclass(frozen=True)
class LeftoverCheck:
    processes: frozenset[int]
    files: frozenset[Path]

    @classmethod
    def now(cls) -> LeftoverCheck:
        shared = (SHARED_MEMORY / name for name in os.listdir(SHARED_MEMORY))
        return cls(frozenset(descendants()), frozenset([*run_directories(), *shared]))

    def since(self, before: LeftoverCheck) -> list[str]:
        processes = [f"process {pid} ({_command(pid)})" for pid in sorted(self.processes - before.processes)]
        return processes + [str(path) for path in sorted(self.files - before.files)]


def wait_until_gone(before: LeftoverCheck) -> list[str]:
    """What is left after some patience; adopted processes that ended are reaped."""
    deadline = time.monotonic() + PATIENCE
    while (left := LeftoverCheck.now().since(before)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def descendants() -> list[int]:
    """All living processes below this one, but those of `LASTING` and `LASTING_TREES`."""
    if not _has_children():  # most tests start nothing
        return []
    found, wave = [], [os.getpid()]
    children = _children if HAS_CHILDREN else _children_among_all
    while wave:
        wave = [pid for pid, parent in children(wave) if pid not in LASTING_TREES and _lives(pid, parent)]
        found += wave
    return [pid for pid in found if pid not in LASTING]


def _has_children() -> bool:
    """Whether any process is below this one: it adopts those whose parent died."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _children(parents: list[int]) -> set[tuple[int, int]]:
    """Pairs of child and parent, as the kernel lists them; looked at twice, as one that just ends may hide another."""
    found = set[tuple[int, int]]()
    for parent in 2 * parents:
        with contextlib.suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                text = _read(f"/proc/{parent}/task/{task}/children")
                found.update((int(pid), parent) for pid in text.split())
    return found


def _children_among_all(parents: list[int]) -> list[tuple[int, int]]:
    """The same by a look at every process of the machine, which takes long."""
    pids = map(int, filter(str.isdecimal, os.listdir("/proc")))
    return [(pid, parent) for pid in pids if (parent := _state(pid)[1]) in parents]


def _lives(pid: int, parent: int) -> bool:
    """Whether it has not ended; a zombie child of this process, for which nobody waits, is collected."""
    state = _state(pid)[0]
    if state == b"Z" and parent == os.getpid():
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return state not in (b"Z", b"")


def _state(pid: int) -> tuple[bytes, int]:
    """Its state, and its parent; nothing of one that is gone."""
    state, parent = (_read(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 2) or (b"", b"0"))[:2]
    return state, int(parent)


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(path, "rb", buffering=0) as file:
        return file.read()
    return b""


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:80]
    return "gone"


def run_directories() -> list[Path]:
    """Run directories of this process, or of processes that are gone."""
    shared, own = Path("/tmp"), Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
    found = {parent / name for parent in {shared, own} for name in os.listdir(parent) if name.startswith(PREFIX)}
    return [path for path in found if _owner(path) == os.getpid() or _is_dead(path, shared, own)]


def _is_dead(path: Path, shared: Path, own: Path) -> bool:
    """Whether a run directory of a process that is gone is of these tests: others may run beside them."""
    apart = "TESTS_SHARED" in os.environ and own != shared
    return (path.parent == own or not apart) and not Path(f"/proc/{_owner(path)}").exists()


def _owner(path: Path) -> int:
    text = path.name[len(PREFIX) :].partition("-")[0]
    return int(text) if text.isdecimal() else 0
