"""A fork server that begins as a fork of a process: what it forks runs, and none of it stays."""

import os
import signal
import subprocess
import sys

import pytest
from run_processes import wait_for
from warm_runs import write_sevens

from launch.processes.interpreter import child_environment
from launch.system.process_state import alive, children

# Handlers of signals and their descriptor are those of the parent alone.
LAUNCHER = """
import os, signal, sys, time
from contextlib import closing
import launch.processes.ready
from launch.chips.power import power_on
from launch.processes.fork_here import fork_server_here
from launch.processes.warm_zygotes import WarmZygotes
signal.signal(signal.SIGTERM, lambda *_: print("the parent"))
signal.set_wakeup_fd(os.pipe2(os.O_NONBLOCK)[1])
with closing(WarmZygotes(fork_server_here())) as zygotes:
    for _ in range(2):
        with power_on(sys.argv[1], zygotes=zygotes, timeout=60) as chip:
            print(chip.run({})["y"].ravel()[0], flush=True)
    print(zygotes.pid, flush=True)
    sys.stdin.readline()
    with power_on(sys.argv[1], zygotes=zygotes, timeout=60) as chip:
        print(chip.run({})["y"].ravel()[0], flush=True)
    print(zygotes.pid, flush=True)
"""


@pytest.fixture
def launcher(tmp_path):
    """A process that has run an image twice, its fork server, and what it prints next."""
    command = [sys.executable, "-c", LAUNCHER, str(write_sevens(tmp_path / "one"))]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes, env=child_environment()) as process:
        said = [process.stdout.readline().strip() for _ in range(3)]
        assert said[:2] == ["7", "7"] and int(said[2]) in children(process.pid)
        yield process, int(said[2])


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_a_fork_server_that_has_ended_is_replaced(launcher, ending):
    process, server = launcher
    os.kill(server, ending)
    first, other = process.communicate("\n", timeout=60)[0].split()
    assert (first, process.returncode) == ("7", 0) and int(other) != server


def test_a_fork_server_ends_with_the_process_that_it_is_a_fork_of(launcher):
    process, server = launcher
    process.kill()
    wait_for(lambda: not alive(server))
