"""Logs that cannot be written: exit code 2 with the file's name, never an error of the emulator."""

import ctypes
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from emu_processes import EmuProcesses
from images import byte_tensor, write_image
from stepper import program

from emu.errors import InputError
from launch.processes.log import ProcessLog, core_log, tail

Launch = Callable[..., CompletedProcess[str]]
SAMPLES = 2000
FILE_SIZE = 32 << 10  # bytes: more than the board of two cores, less than the log of all samples


@pytest.fixture
def image(tmp_path: Path) -> Path:
    programs = {core: program(core, ("lldi", 0, 7, 8), ("st", 8 * core, 0, 8)) for core in range(2)}
    return write_image(tmp_path / "two", programs, (), (byte_tensor("y", 16, 0),))


@pytest.fixture
def launch(emu_processes: EmuProcesses) -> Launch:
    """Runs an image with logs in a folder, in a process whose files have at most so many bytes."""

    def run(image: Path, logs: Path, limit: int | None = None) -> CompletedProcess[str]:
        arguments = ["launch", image, "--log-dir", logs, "--timeout", "60", "--repeat", SAMPLES, "--golden", "none"]
        before = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))" if limit else ""
        return emu_processes.run(*arguments, before=before)

    return run


def refused(done: CompletedProcess[str], logs: Path, reason: str) -> bool:
    words = f"error: the log {logs}/core_000"
    return (
        done.returncode == 2
        and done.stderr.startswith(words)
        and done.stderr.count("\n") == 1
        and reason in done.stderr
    )


@pytest.fixture(params=["size=4k", "ro"])
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder on a file system that is full, or cannot be written; and the reason."""
    folder, libc = tmp_path / "disk", ctypes.CDLL(None, use_errno=True)
    folder.mkdir()
    flags = 1 if request.param == "ro" else 0
    data = b"" if flags else request.param.encode()
    if libc.mount(b"none", str(folder).encode(), b"tmpfs", flags, data):
        pytest.skip(f"no file system can be mounted here: {os.strerror(ctypes.get_errno())}")
    try:
        if not flags:
            with (folder / "full").open("wb", buffering=0) as file:
                file.write(bytes(4096))
        yield folder, "Read-only file system" if flags else "No space left on device"
    finally:
        libc.umount2(str(folder).encode(), 2)


def test_a_full_or_read_only_disk_is_named(launch: Launch, small_disk: tuple[Path, str], image: Path) -> None:
    folder, reason = small_disk
    assert refused(launch(image, folder), folder, reason)


def test_a_log_that_grows_too_long_is_named(launch: Launch, image: Path, tmp_path: Path) -> None:
    done = launch(image, tmp_path / "logs", FILE_SIZE)
    assert refused(done, tmp_path / "logs", "File too large"), done.stderr


def test_shared_memory_beyond_the_limit_is_named(launch: Launch, image: Path, tmp_path: Path) -> None:
    done = launch(image, tmp_path / "logs", 100)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "no shared memory of" in done.stderr
    assert "ulimit -f" in done.stderr


def test_a_file_in_place_of_the_log_directory_is_named(launch: Launch, image: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "core_0000.log").mkdir()
    assert refused(launch(image, tmp_path / "logs"), tmp_path / "logs", "Is a directory")


def test_after_the_first_failure_a_log_is_silent(tmp_path: Path) -> None:
    (tmp_path / "a.log").symlink_to("/dev/full")
    log = ProcessLog(str(tmp_path), "a", 0.0)
    with pytest.raises(InputError, match=r"a\.log cannot be written: No space left on device; name another folder"):
        log.note("one")
    log.note("two")
    ProcessLog(str(tmp_path), "a", 0.0).last("three")
    ProcessLog("", "a", 0.0).note("four")


def test_logs_are_lines_with_times(tmp_path: Path) -> None:
    log = ProcessLog(str(tmp_path), core_log(3), 0.0)
    log.starts(1)
    log.last("trap")
    first, second = tail(str(tmp_path), core_log(3))
    assert f"start process {os.getpid()}, seed 1" in first and second.endswith(" trap")
