"""How many processes and threads a run needs, checked against the limits before any of them starts."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError, option

THREADS = 3  # of a core or the memory node: main, ZeroMQ's reaper and I/O thread
OTHERS = 4  # zygote, ZeroMQ's threads in the launcher, and a spare one
CAP_SYS_ADMIN, CAP_SYS_RESOURCE = 21, 24  # either exempts from ulimit -u
PROC, CGROUP = Path("/proc"), Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class ProcessLimit:
    """One limit of processes and threads: `most` may be, `used` are; `raise_it` says how, given a number."""

    name: str
    most: int
    used: int
    raise_it: str

    def short_of(self, need: int) -> bool:
        """Whether `need` more do not fit."""
        return self.most - self.used < need

    def advice(self, need: int) -> str:
        """How to make room for `need` more."""
        return self.raise_it.format(self.used + need)


@contextmanager
def no_process(what: str) -> Iterator[None]:
    """Turns a failure to start a process into an error: another user may have taken what was free at the check."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.ENOMEM):
            raise
        raise InputError(
            f"no process can be started for {what} ({error.strerror}): see `emu doctor`, use fewer cores, "
            f"or {option('sequential', True)}"
        ) from None


def processes_needed(cores: int) -> int:
    """Processes and threads that a run of `cores` core processes starts."""
    return THREADS * (cores + 1) + OTHERS


def check_processes(cores: int) -> None:
    """Raise InputError if a limit leaves too few processes and threads for `cores` core processes."""
    need = processes_needed(cores)
    for limit in process_limits(need):
        if limit.short_of(need):
            raise InputError(
                f"{cores} core process{'es need' if cores > 1 else ' needs'} {need} processes and threads, and "
                f"{limit.name} is {limit.most} with {limit.used} in use: {limit.advice(need)}, use fewer cores, or "
                f"{option('sequential', True)}"
            )


def process_limits(need: int, proc: Path = PROC, cgroup: Path = CGROUP) -> Iterator[ProcessLimit]:
    """All limits that bind this process, for `need` more; what cannot be read does not bind."""
    everybody = _threads(proc)
    soft, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if soft != resource.RLIM_INFINITY and not _exempt(proc):
        used = everybody if everybody + need <= soft else _threads_of(os.getuid(), proc)  # counting takes a while
        yield ProcessLimit("the limit of this user", soft, used, "raise ulimit -u to {}")
    for name in ("pid_max", "threads-max"):
        most = _number(proc / "sys" / "kernel" / name)
        if most is not None:
            yield ProcessLimit(f"kernel.{name}", most, everybody, f"raise it with sysctl -w kernel.{name}={{}}")
    for group in control_groups("pids", proc, cgroup):
        most = _number(group / "pids.max")
        if most is not None:
            used = _number(group / "pids.current") or 0
            how = "raise it to {} (pids-limit of docker run, TasksMax of systemd)"
            yield ProcessLimit(f"pids.max of the control group {group}", most, used, how)


def available_memory(proc: Path = PROC, cgroup: Path = CGROUP) -> int:
    """Bytes that can still be had, within the limits of all control groups around this process."""
    free = [int(_fields(proc / "meminfo").get("MemAvailable", "0 kB").split()[0]) << 10]
    for group in control_groups("memory", proc, cgroup):
        for most, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            limit = _number(group / most)
            if limit is not None:
                free.append(limit - (_number(group / used) or 0))
    return max(0, min(free))


def _exempt(proc: Path) -> bool:
    """Whether the kernel lets this process pass its user's limit."""
    if os.getuid() == 0:
        return True
    capabilities = int(_fields(proc / "self" / "status").get("CapEff", "0"), 16)
    return bool(capabilities & (1 << CAP_SYS_ADMIN | 1 << CAP_SYS_RESOURCE))


def _threads(proc: Path) -> int:
    """Threads of all processes of the machine."""
    try:
        return int((proc / "loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, IndexError, ValueError):
        return 0


def _threads_of(user: int, proc: Path) -> int:
    """Threads of all processes of `user`."""
    processes = (_fields(entry / "status") for entry in proc.iterdir() if entry.name.isdecimal())
    return sum(
        int(fields.get("Threads", "0")) for fields in processes if fields.get("Uid", "").split()[:1] == [str(user)]
    )


def control_groups(controller: str, proc: Path = PROC, cgroup: Path = CGROUP) -> Iterator[Path]:
    """The folders of this process's control group (version 1 or 2) and of all around it: each limits what is inside."""
    try:
        lines = (proc / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, names, path = line.split(":", 2)
        if names and controller not in names.split(","):
            continue
        for root in (cgroup / names,) if names else (cgroup, cgroup / "unified"):
            group = root / path.strip("/")
            # In a container the path may be that of the host, and the root its own group.
            yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(root))


def _fields(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text().splitlines()
    except OSError:  # it has ended
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _number(path: Path) -> int | None:
    """The number in a file; None if there is none ("max": no limit)."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
