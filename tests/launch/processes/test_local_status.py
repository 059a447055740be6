"""What a machine says of its processes: by name, also of those that have not said yet what they are."""

import subprocess
import sys

import pytest
from run_processes import stopped, wait_for

from emu.noc.watch.board import Board
from launch.processes.local_status import LocalStatus
from launch.processes.status import StoppedProcess
from launch.system import process_state

SLEEPER = "print(flush=True); input()"


@pytest.fixture
def sleepers():
    """Three processes that sleep."""
    children = [subprocess.Popen([sys.executable, "-c", SLEEPER], stdin=-1, stdout=-1) for _ in range(3)]
    try:
        for child in children:
            child.stdout.readline()
            wait_for(lambda child=child: process_state.sleeping_run_counts([child.pid]))
        yield [child.pid for child in children]
    finally:
        for child in children:
            child.communicate(b"\n")


@pytest.fixture
def status(sleepers):
    """A helper, core 4, and a core that has not said yet which it is; core 5 is not there."""
    board = Board(bytearray(Board.size(2)), [4, 5])
    board.row(4).belongs(sleepers[1])
    return LocalStatus(board, {"the memory node": sleepers[0]}, lambda: sleepers)


def test_processes_go_by_name(status, sleepers):
    node, core, unknown = sleepers
    assert status.processes() == {"core 4": core, "the memory node": node}
    assert status.members() == {"core 4", "the memory node", f"process {unknown} of a core"}
    assert status.forked() == 2  # the memory node is none


def test_nobody_is_there_before_the_first_fork():
    status = LocalStatus(Board(bytearray(Board.size(1)), [0]), {}, tuple)
    assert status.forked() == 0 and status.members() == frozenset() and status.stopped() == []
    assert status.run_counts() == {} and status.run_counts([0]) is None


def test_helpers_come_before_cores_where_somebody_is_stopped(status, sleepers):
    node, core, unknown = sleepers
    with stopped(node), stopped(core), stopped(unknown):
        wait_for(lambda: len(status.stopped()) == 3)
        names = ["the memory node", f"process {unknown} of a core"]
        assert status.stopped() == [
            *[StoppedProcess(name, "SIGSTOP") for name in names],
            StoppedProcess("core 4", "SIGSTOP", 4),
        ]
        assert status.run_counts() is None and status.awake({"core 4"}) == {"core 4"}


def test_who_sleeps_is_at_rest_and_not_awake(status):
    assert status.run_counts() == status.run_counts([4]) != {}
    assert status.awake(status.members()) == frozenset()
    assert status.run_counts([4, 5]) is None and status.awake({"core 4", "core 5"}) == {"core 5"}


def test_who_has_sent_what_has_not_arrived_does_not_sleep(sleepers):
    board, asked = Board(bytearray(Board.size(1)), [4]), []
    board.row(4).belongs(sleepers[1])

    def sending(processes):
        asked.append(sorted(processes))
        return len(asked) > 2

    status = LocalStatus(board, {}, lambda: sleepers[1:2], node=False, sending=sending)
    assert status.forked() == 1
    assert status.run_counts() == status.run_counts([4]) != {}
    assert status.run_counts() is None and status.awake({"core 4"}) == {"core 4"}
    assert asked == [[sleepers[1]]] * 4
