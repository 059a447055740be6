"""Warm zygotes that are killed, stopped or closed, and launchers that die: each end is told, and leaves nothing."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from images import write_endless
from leaks import descendants
from run_processes import stopped, wait_for
from warm_runs import assert_serves, write_sevens

from emu.errors import InputError
from launch import warm_zygotes
from launch.chips.power import power_on
from launch.supervision.errors import CoreDied
from launch.system.run_directory import PREFIX
from launch.system.stale_files import reclaim, stale_files, system_folders

ROOT = Path(__file__).parents[3]


@pytest.fixture
def image(tmp_path):
    return write_sevens(tmp_path / "one")


@pytest.fixture
def endless(tmp_path):
    return write_endless(tmp_path / "endless")


@pytest.mark.parametrize(
    ("victim", "words"),
    [
        ("the zygote process", "^the zygote process was killed by SIGKILL"),
        ("the fork server", "^the zygote process was killed by SIGKILL"),
        ("the memory node", "^the memory node was killed by SIGKILL"),
        ("core 0", "^core 0 was killed by SIGKILL"),
    ],
)
def test_killed_processes_are_named_and_the_next_run_works(endless, image, victim, words):
    with warm_zygotes() as zygotes:
        with power_on(endless, zygotes=zygotes, engine="step", timeout=60) as chip:
            os.kill({"the fork server": zygotes.pid, **chip.processes}[victim], signal.SIGKILL)
            with pytest.raises(CoreDied, match=words):
                chip.run({})
        assert_serves(image, zygotes)
        assert descendants() == [zygotes.pid]


def test_a_zygote_that_is_killed_before_its_orders_is_told(image):
    with warm_zygotes() as zygotes:
        zygote = zygotes.start()
        os.kill(zygote.pid, signal.SIGSEGV)
        wait_for(zygote.has_ended)
        assert zygote.status() == -signal.SIGSEGV
        zygote.close()
        zygote.close()
        assert_serves(image, zygotes)


def test_a_killed_zygote_leaves_no_directory(tmp_path):
    """Nor does it if the launcher, which would look after it, cannot do so: the fork server does."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with warm_zygotes() as zygotes:
        zygote = zygotes.start(str(scratch))
        zygote.directory.mkdir()
        os.kill(zygote.pid, signal.SIGKILL)
        zygote.status()
        assert not scratch.exists() and not zygote.directory.exists()
        zygote.close()


def test_a_stopped_fork_server_is_named_and_keeps_nothing(image):
    with warm_zygotes() as zygotes:
        zygote = zygotes.start()
        with stopped(zygotes.pid):
            with pytest.raises(InputError, match=rf"process {zygotes.pid}, is stopped \(SIGSTOP\); continue it"):
                zygotes.start()
            zygote.close()
        assert_serves(image, zygotes)
        with stopped(zygotes.pid):
            zygotes.close()
            assert not descendants()


def test_the_life_of_the_server_ends_runs(endless):
    """Closed under a run, it waits for a while, then ends it."""
    began = time.monotonic()
    with warm_zygotes() as zygotes, power_on(endless, zygotes=zygotes, engine="step") as chip:
        closing = threading.Thread(target=zygotes.close)
        closing.start()
        with pytest.raises(CoreDied, match="the zygote process was killed by SIGKILL"):
            while time.monotonic() < began + 100:
                chip.run({})
        closing.join()
    assert not descendants()


def test_closed_or_in_a_fork_it_refuses():
    with warm_zygotes() as zygotes:
        child = os.fork()
        if not child:
            try:
                zygotes.start()
            except InputError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        zygotes.close()
        with pytest.raises(InputError, match="closed: use them inside of their `with` block"):
            zygotes.start()


def test_a_server_that_cannot_begin_is_an_error(monkeypatch, capfd):
    monkeypatch.setenv("PYTHONHASHSEED", "none")
    with warm_zygotes() as zygotes, pytest.raises(InputError, match="the fork server ends as soon as it is started"):
        zygotes.start()
    assert "PYTHONHASHSEED" in capfd.readouterr().err


def test_too_few_processes_are_a_sentence(monkeypatch, image):
    """What the fork server says of a fork that failed."""
    with warm_zygotes() as zygotes:
        receive = "launch.processes.fork_server_process.receive"
        with monkeypatch.context() as patch:
            patch.setattr(receive, lambda channel: ({"errno": 11}, []))
            with pytest.raises(InputError, match="no process can be started for the run"):
                zygotes.start()
        assert_serves(image, zygotes)


LAUNCHER = """
import sys
from launch import power_on, warm_zygotes
with warm_zygotes() as zygotes, power_on(sys.argv[1], engine="step", zygotes=zygotes) as chip:
    print(zygotes.pid, chip.processes["the zygote process"], flush=True)
    chip.run({})
"""


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("also", "number"),
    [
        pytest.param(also, number, marks=pytest.mark.full if number == signal.SIGTERM and also != "nobody" else [])
        for also in ("nobody", "the fork server", "the zygote", "a stopped fork server")
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    ],
)
def test_nothing_survives_the_launcher(emu_processes, endless, number, also):
    with emu_processes.start(endless, program=LAUNCHER) as launcher:
        server, zygote = map(int, launcher.stdout.readline().split())
        if also == "a stopped fork server":
            os.kill(server, signal.SIGSTOP)
        launcher.send_signal(number)
        if also in ("the fork server", "the zygote"):
            os.kill({"the fork server": server, "the zygote": zygote}[also], signal.SIGKILL)
        launcher.wait(60)
        if (also, number) == ("the fork server", signal.SIGKILL):
            bury_sockets(launcher.pid, zygote)
        if also == "a stopped fork server":
            wait_for(lambda: not Path(f"/proc/{zygote}").exists() or _ended(zygote))
            if number != signal.SIGINT:  # else it was killed
                os.kill(server, signal.SIGCONT)
    # The fixture of every test fails if a process, directory or memory is left.


def bury_sockets(launcher, zygote):
    """Launcher and fork server were killed at the same moment: the zygote dies with them, before or after it cleans."""
    wait_for(lambda: not Path(f"/proc/{zygote}").exists() or _ended(zygote))
    for dead in stale_files(system_folders()):
        if dead.path.name.startswith(f"{PREFIX}{launcher}-"):
            assert reclaim(dead)


def test_a_fork_of_the_launcher_keeps_nothing_alive(emu_processes, endless):
    """It has the other ends of all pipes and sockets, so none of them closes."""
    forking = "import os, time\n" + LAUNCHER.replace("    chip.run", "    os.fork() or time.sleep(1000)\n    chip.run")
    with emu_processes.start(endless, program=forking) as launcher:
        run = list(map(int, launcher.stdout.readline().split()))
        wait_for(lambda: len(descendants()) == 7)  # two launchers, fork server, zygote, memory node, two cores
        launcher.kill()
        launcher.wait(60)
        wait_for(lambda: len(descendants()) == 1)
        assert descendants()[0] not in run
        os.kill(descendants()[0], signal.SIGKILL)


def _ended(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_nothing_survives_a_launcher_that_dies_at_the_start(endless):
    for delay in (0.05, 0.2, 0.4, 0.8):
        command = [sys.executable, "-c", LAUNCHER, str(endless)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as launcher:
            time.sleep(delay)
            launcher.kill()
