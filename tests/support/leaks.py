"""Finds what a test may leave behind: descendants, run directories, shared memory."""

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
LASTING: set[int] = set()  # processes of fixtures that live longer than a test; what is below them does not


def become_subreaper() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@dataclass(frozen=True)
class LeftoverCheck:
    processes: frozenset[int]
    files: frozenset[Path]

    @classmethod
    def now(cls) -> LeftoverCheck:
        return cls(frozenset(descendants()), frozenset([*run_directories(), *Path("/dev/shm").iterdir()]))

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
    """All living processes below this one, but those of `LASTING`."""
    if not _has_children():  # most tests start nothing, and a look at all processes of the machine takes long
        return []
    parents = {pid: parent for pid, state, parent in _processes() if state != b"Z" or _reap(pid, parent)}
    found, wave = [], [os.getpid()]
    while wave:
        wave = [pid for pid, parent in parents.items() if parent in wave]
        found += wave
    return [pid for pid in found if pid not in LASTING]


def _has_children() -> bool:
    """Whether any process is below this one: it adopts those whose parent died."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _reap(pid: int, parent: int) -> bool:
    """Collect a zombie child that nobody waits for; whether it still counts as living (never)."""
    if parent == os.getpid():
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
    return False


def _processes():
    for name in filter(str.isdecimal, os.listdir("/proc")):  # noqa: PTH208
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb", buffering=0) as file:  # noqa: PTH123
            state, parent = file.read(4096).rpartition(b")")[2].split(None, 2)[:2]
            yield int(name), state, int(parent)


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()[:80]
    return "gone"


def run_directories() -> list[Path]:
    """Run directories of this process, or of processes that are gone."""
    shared, own = Path("/tmp"), Path(os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
    found = {path for parent in (shared, own) for path in parent.glob(f"{PREFIX}*")}
    return [path for path in found if _owner(path) == os.getpid() or _is_dead(path, shared, own)]


def _is_dead(path: Path, shared: Path, own: Path) -> bool:
    """Whether a run directory of a process that is gone is of these tests: others may run beside them."""
    apart = "TESTS_SHARED" in os.environ and own != shared
    return (path.parent == own or not apart) and not Path(f"/proc/{_owner(path)}").exists()


def _owner(path: Path) -> int:
    text = path.name[len(PREFIX) :].partition("-")[0]
    return int(text) if text.isdecimal() else 0
