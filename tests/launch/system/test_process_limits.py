"""Processes and threads: counted before anything starts, and enough when they are said to be enough."""

import ctypes
import errno
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from images import byte_tensor, write_image
from stepper import program

from emu.errors import InputError
from launch.system import process_limits
from launch.system.process_limits import (
    CAP_SYS_ADMIN,
    CAP_SYS_RESOURCE,
    available_memory,
    check_processes,
    no_process,
    processes_needed,
)
from launch.system.process_limits import (
    process_limits as limits_of,
)

PR_CAPBSET_DROP = 24
USER = 54321  # nobody else's
RUN = "from launch.cli import main; main()"
LAUNCHER_THREADS = 16  # of NumPy's BLAS, main, and the thread that hears signals, at most


@pytest.fixture
def image() -> Iterator[Path]:
    """In a folder that everybody can read."""
    programs = {0: program(0, ("lldi", 0, 7, 8), ("st", 0, 0, 8))}
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield write_image(Path(name) / "one", programs, (), (byte_tensor("y", 8, 0),))


def launch_as_user(limit: int, image: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`emu launch` by a user whose limit binds: not root, though it may read all files."""
    prctl = ctypes.CDLL(None).prctl

    def become() -> None:
        for capability in (CAP_SYS_ADMIN, CAP_SYS_RESOURCE):
            prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
        os.setresuid(USER, 0, 0)

    return subprocess.run(
        [sys.executable, "-c", RUN, "launch", str(image), "--golden", "none", "--timeout", "60", *options],
        preexec_fn=become,
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become a user with a limit of its own")
def test_what_is_needed_is_enough_and_less_is_refused(image: Path) -> None:
    need = processes_needed(20)
    done = launch_as_user(need + LAUNCHER_THREADS, image, "--cores", "20")
    assert (done.returncode, done.stderr) == (0, "")
    done = launch_as_user(need, image, "--cores", "20")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith(
        f"error: 20 core processes need {need} processes and threads, and the limit of this user is {need} with "
    )
    assert "raise ulimit -u to " in done.stderr and "use fewer cores, or --sequential" in done.stderr


@pytest.mark.few(2)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become a user with a limit of its own")
@pytest.mark.parametrize("limit", [1, 2, 3, 5, 8])
def test_tiny_limits_are_one_sentence(image: Path, limit: int) -> None:
    done = launch_as_user(limit, image)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and done.stderr.startswith("error: ")
    assert "ulimit -u" in done.stderr or "emu doctor" in done.stderr


class Machine:
    """Files as the kernel shows them."""

    def __init__(self, folder: Path) -> None:
        self.proc, self.cgroup = folder / "proc", folder / "cgroup"
        self.write("proc/loadavg", "0.1 0.2 0.3 1/200 4711")
        self.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 4000 kB\n")

    def write(self, name: str, text: str) -> None:
        path = self.proc.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def short(self, need: int) -> list[str]:
        return [limit.name for limit in limits_of(need, self.proc, self.cgroup) if limit.short_of(need)]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setattr(process_limits.resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    return Machine(tmp_path)


@pytest.mark.parametrize("name", ["pid_max", "threads-max"])
def test_limits_of_the_machine(machine: Machine, name: str) -> None:
    machine.write(f"proc/sys/kernel/{name}", "300\n")
    assert machine.short(100) == [] and machine.short(101) == [f"kernel.{name}"]


@pytest.mark.parametrize("group", ["a/b", "a", ""])
@pytest.mark.parametrize(("line", "root"), [("0::", "cgroup"), ("4:cpu:/x\n8:pids:", "cgroup/pids")])
def test_limits_of_all_control_groups_around(machine: Machine, group: str, line: str, root: str) -> None:
    machine.write("proc/self/cgroup", f"{line}/a/b\n")
    for name in ("", "a", "a/b"):
        machine.write(f"{root}/{name}/pids.max", "50\n" if name == group else "max\n")
        machine.write(f"{root}/{name}/pids.current", "20\n")
    assert machine.short(30) == [] and len(machine.short(31)) == 1


def test_a_group_that_only_the_host_can_see(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/docker/1234\n")
    machine.write("cgroup/pids.max", "50\n")
    assert machine.short(50) == [] and len(machine.short(51)) == 1


def test_the_limit_of_a_user_counts_threads_and_spares_root(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_limits.resource, "getrlimit", lambda _: (100, 100))
    monkeypatch.setattr(process_limits.os, "getuid", lambda: USER)
    machine.write("proc/self/status", "CapEff: 0\n")
    for process, (user, threads) in {1: (0, 90), 2: (USER, 7), 3: (USER, 3)}.items():
        machine.write(f"proc/{process}/status", f"Uid:\t{user}\t{user}\t{user}\nThreads:\t{threads}\n")
    assert machine.short(90) == [] and machine.short(91) == ["the limit of this user"]
    machine.write("proc/self/status", f"CapEff: {1 << CAP_SYS_RESOURCE:x}\n")
    assert machine.short(91) == []


def test_memory_is_what_the_narrowest_group_leaves(machine: Machine) -> None:
    machine.write("proc/self/cgroup", "0::/a/b\n")
    assert available_memory(machine.proc, machine.cgroup) == 4000 << 10
    machine.write("cgroup/a/memory.max", "5000\n")
    machine.write("cgroup/a/memory.current", "2000\n")
    assert available_memory(machine.proc, machine.cgroup) == 3000


def test_a_machine_without_any_of_these_files_limits_nothing(tmp_path: Path) -> None:
    assert list(limits_of(10**9, tmp_path, tmp_path))[1:] == []


def test_refusals_name_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = process_limits.ProcessLimit("kernel.pid_max", 10, 5, "raise it to {}")
    monkeypatch.setattr(process_limits, "process_limits", lambda need: [limit])
    with pytest.raises(
        InputError, match=r"1 core process needs 10 .* kernel.pid_max is 10 with 5 in use: raise it to 15"
    ):
        check_processes(1)


def test_a_fork_that_fails_all_the_same_is_a_sentence() -> None:
    with pytest.raises(InputError, match="no process can be started for core 3"), no_process("core 3"):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
    with pytest.raises(FileNotFoundError), no_process("core 3"):
        raise FileNotFoundError(errno.ENOENT, "not there")
