"""`emu device`: host programs find their device, its counters are told, and whatever ends it leaves nothing."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commands import Emu
from device_hosts import ROOT, compiled, needs_compiler
from emu_processes import EmuProcess, EmuProcesses
from frame_host import FrameHost
from run_processes import wait_for

from launch.system.process_state import children
from launch.system.run_directory import run_directories
from launch.system.stale_files import reclaim, stale_files

PATIENCE = 60
EYE = np.eye(4, dtype=np.int32)
# A host program without the library, in frames: what it does is Python behind `host = ...`.
FRAMES = """
import os, sys, time, signal
sys.path[:0] = [{support!r}, {root!r}]
import numpy as np
from frame_host import FrameHost
host = FrameHost(os.environ["EMU_DEVICE"])
host.write(0, np.eye(4, dtype=np.int32), "i32")
assert host.results("i32") == []
host.multiply(0, np.ones((3, 4), np.int32), "i32", 4)
"""
KILL = """
from launch.system.process_state import children
(core,) = {pid for pid in children(os.getppid()) if pid != os.getpid()}
os.kill(core, signal.SIGKILL)
"""
Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., EmuProcess]
COUNTED = {"writes": 1, "rows": 4, "weights": 16, "products": 1, "vectors": 3, "bytes_in": 112, "bytes_out": 48}


def program(then: str) -> list[str]:
    """The words of a host program that writes, multiplies, and does this then."""
    code = FRAMES.format(support=str(ROOT / "tests" / "support"), root=str(ROOT))
    return [sys.executable, "-c", code + then]


@pytest.fixture
def run(emu_processes: EmuProcesses) -> Run:
    """`emu device` as a process of its own."""
    return lambda *arguments: emu_processes.run("device", *arguments)


@pytest.fixture
def serving(emu_processes: EmuProcesses) -> Serve:
    """A server that listens."""

    def start(socket: Path, *arguments: object) -> EmuProcess:
        process = emu_processes.start("device", "--arch", "tiny", "--cores", 1, "--serve", socket, *arguments)
        assert process.stderr.readline() == f"1 core of tiny at {socket}: hosts find it by EMU_DEVICE={socket}\n"
        return process

    return start


def counters(values: dict) -> dict:
    return {name: values["counters"][name] for name in COUNTED}


def test_a_host_program_is_served_and_its_calls_are_counted(tmp_path: Path, run: Run) -> None:
    done = run("--arch", "tiny", "--json", "--cores", 1, "--", *program("host.barrier(0); print(host.results('i32'))"))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)  # what the program prints is on stderr
    assert "array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]" in done.stderr
    assert counters(told) == COUNTED and (told["hosts"], told["host_exit_code"], told["exit_code"]) == (1, 0, 0)
    assert (told["arch"], told["cores"], told["backend"], told["out"]) == ("tiny", 1, "processes", None)


def test_the_counters_are_a_table_behind_what_the_program_prints(run: Run) -> None:
    done = run("--arch", "tiny", "--backend", "numpy", *program("print('mine', flush=True)"))
    assert done.returncode == 0 and done.stdout.startswith("mine\n")
    rows = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    assert (rows["writes"], rows["weights"], rows["products"]) == ("1", "16", "1")


@pytest.mark.parametrize(
    ("then", "code", "said"),
    [
        ("sys.exit(7)", 7, "ended with exit code 7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", 137, "was killed by SIGKILL"),
    ],
)
def test_a_host_program_that_fails_is_told(then: str, code: int, said: str, run: Run) -> None:
    done = run("--arch", "tiny", "--backend", "numpy", "--json", "--", *program(then))
    assert done.returncode == code
    assert f"error: the host program {sys.executable} {said}" in done.stderr
    told = json.loads(done.stdout)
    assert (told["host_exit_code"], told["exit_code"]) == (code, code) and counters(told)["writes"] == 1


def test_a_program_that_never_comes_is_none_that_is_served(run: Run) -> None:
    done = run("--arch", "tiny", "--backend", "numpy", "--json", "--", "true")
    told = json.loads(done.stdout)
    assert (done.returncode, told["hosts"], told["counters"]["writes"]) == (0, 0, 0)


def test_what_a_program_leaves_running_ends_the_device_no_later(run: Run) -> None:
    """It has handed the connection on: only its own end counts."""
    then = "host.socket.set_inheritable(True); import subprocess; subprocess.Popen(['sleep', '1'], close_fds=False)"
    done = run("--arch", "tiny", "--backend", "numpy", "--json", "--", *program(then))
    assert done.returncode == 0 and counters(json.loads(done.stdout)) == COUNTED


@pytest.mark.parametrize("wait", ["", "import time; time.sleep(0.5); "], ids=["at once", "later"])
def test_a_core_that_dies_is_exit_code_5(wait: str, run: Run) -> None:
    """The product that it was killed in may be done already: another one is asked for; or the device has ended."""
    then = (
        f"try:\n    host.multiply(0, np.ones((3, 4), np.int32), 'i32', 4)\n    {wait}host.barrier(0)\n"
        "except BrokenPipeError: pass\nprint(host.answer()[1], flush=True)"
    )
    done = run("--arch", "tiny", "--cores", 1, "--json", "--", *program(KILL + then))
    assert done.returncode == 5, done.stderr
    assert "error: core 0 of the device" in done.stderr and "SIGKILL" in done.stderr and "5\n" in done.stderr
    told = json.loads(done.stdout)
    assert told["exit_code"] == 5 and counters(told)["writes"] == 1


def test_a_session_is_recorded_as_an_image(emu: Emu, tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out"
    done = run("--arch", "tiny", "--cores", 2, "-o", out, "--", *program("host.barrier(0)"))
    assert done.returncode == 0 and f"written: {out}" in done.stdout
    launched = emu("launch", out)
    assert launched.exit_code == 0 and "0 of 12 elements differ" in launched.stdout, launched.output
    nothing = run("--arch", "tiny", "--backend", "numpy", "-o", tmp_path / "nothing", "--", "true")
    assert nothing.returncode == 0 and not (tmp_path / "nothing").exists()
    assert f"warning: the session is not recorded in {tmp_path / 'nothing'}: nothing was called" in nothing.stderr


def test_hosts_come_one_after_the_other_until_a_signal(tmp_path: Path, serving: Serve) -> None:
    socket, out = tmp_path / "s", tmp_path / "out"
    process = serving(socket, "--json", "-o", out)
    for _ in range(2):
        with FrameHost(socket) as host:
            host.write(0, np.ones((64, 16), np.int32), "i32")  # all that it has
            assert host.results("i32") == []
    process.terminate()
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 143 and stderr == "error: terminated\n"
    told = json.loads(stdout)
    assert (told["hosts"], told["host"], told["counters"]["writes"], told["out"]) == (2, None, 2, str(out))
    assert not socket.exists() and (out / "manifest.json").exists()


def test_once_is_the_end_with_the_first_host(tmp_path: Path, serving: Serve) -> None:
    process = serving(tmp_path / "s", "--once")
    with FrameHost(tmp_path / "s"):
        pass
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stderr) == (0, "") and "writes" in stdout
    assert not list(tmp_path.iterdir())


def test_a_server_that_is_killed_leaves_a_socket_that_the_next_one_replaces(
    tmp_path: Path, run: Run, serving: Serve
) -> None:
    socket = tmp_path / "s"
    process = serving(socket)
    with FrameHost(socket) as host:
        process.kill()
        process.communicate()
        assert host.hung_up()
    assert socket.exists()
    second = serving(socket, "--once")
    third = run("--arch", "tiny", "--serve", socket)
    assert third.returncode == 2 and "somebody listens at" in third.stderr
    with FrameHost(socket) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
    second.communicate(timeout=PATIENCE)
    assert second.returncode == 0 and not socket.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_host_program_does_not_outlive_the_command(
    tmp_path: Path, number: signal.Signals, emu_processes: EmuProcesses
) -> None:
    mark = tmp_path / "mark"
    then = f"open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    process = emu_processes.start("device", "--arch", "tiny", "--cores", 1, "--", *program(then))
    wait_for(lambda: mark.exists() and mark.read_text())
    assert int(mark.read_text()) in children(process.pid)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    wait_for(lambda: not Path(f"/proc/{mark.read_text()}").exists() or os.waitpid(int(mark.read_text()), os.WNOHANG))
    left = [
        dead for folder in run_directories(process.pid) for dead in stale_files([folder.parent]) if dead.path == folder
    ]
    assert len(left) == (number == signal.SIGKILL) and all(map(reclaim, left))  # as `emu doctor --clean` does


@needs_compiler
def test_the_library_is_built_and_drives_four_cores(tmp_path: Path, run: Run) -> None:
    done = run("--build", tmp_path / "host", "--json")
    assert json.loads(done.stdout)["files"] == [
        str(tmp_path / "host" / name) for name in ("libemu_device.so", "emu_device.h")
    ]
    tiled = compiled(ROOT / "examples" / "device" / "tiled.c", tmp_path / "host", tmp_path / "tiled")
    page = (ROOT / "docs" / "device-hosts.md").read_text("utf-8")
    done = run("--cores", 4, "--", tiled)
    assert (done.returncode, done.stdout) == (0, re.search(r"```text\n(.*?)```", page, re.DOTALL)[1])
    done = run("--cores", 4, "--json", "--", tiled, 130, 70, 200)
    assert done.returncode == 0 and json.loads(done.stdout)["counters"]["writes"] == 32
    assert "plain          24 writes of a tile, right\ninterchanged    8 writes of a tile, right\n" in done.stderr
