"""A run that cannot start says who waits for whom, within seconds; one that is only slow, or stopped, is waited for."""

import os
import signal
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from images import byte_tensor, write_image
from leaks import descendants
from never_joining import Fate
from run_processes import process_of, wait_for
from stepper import program

from emu.errors import EmuError
from emu.noc.barrier.barrier import HOST
from emu.noc.watch.board import Activity, Board, BoardWord
from emu.noc.watch.joining import joining, waits
from emu.noc.wire.transports import TRANSPORTS
from launch.chips import power
from launch.chips.power import power_on
from launch.processes.local_machine import LocalMachine
from launch.supervision import supervisor
from launch.supervision.errors import CoreDied, NeverStarted, RunTimeout
from launch.supervision.start_watch import PATIENCE, ROUNDS, SAYINGS, StartWatch
from launch.system.process_state import stopped_by

SUPPORT = Path(__file__).parents[2] / "support"
X = np.arange(8, dtype=np.uint8).reshape(1, 8)


@pytest.fixture
def relay(tmp_path, monkeypatch):
    """Core 2 loads x and sends it to core 1, that to core 0, which stores it as y; core 3 talks to nobody."""
    monkeypatch.setenv("PYTHONPATH", str(SUPPORT))  # the processes of a run find their observers by name
    programs = {
        0: program(0, ("recv", 1, 0, 8), ("st", 8, 0, 8)),
        1: program(1, ("recv", 2, 0, 8), ("send", 0, 0, 8)),
        2: program(2, ("ld", 0, 0, 8), ("send", 1, 0, 8)),
        3: program(3),
    }
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 8, 0),), (byte_tensor("y", 8, 8),))


def failure(image, core, fate, **options) -> EmuError:
    """What ends a start with such a core."""
    with pytest.raises(EmuError) as error, power_on(image, observers=[Fate(core, fate)], **options):
        pass
    return error.value


@pytest.mark.parametrize("transport", ["ipc", "tcp"])
def test_a_core_that_says_nothing_is_named(relay, transport):
    began = time.monotonic()
    error = failure(relay, 2, "silent", timeout=500, transport=transport)
    assert isinstance(error, NeverStarted) and error.exit_code == 5 and time.monotonic() - began < 120
    assert error.waits == [
        "the memory node waits for core 2 to join",
        "core 2 has not said yet where it listens",
        *[f"core {core} waits for the addresses of its peers" for core in (0, 1, 3)],
    ]


def test_a_core_that_does_not_answer_is_named_with_who_waits_for_it(relay):
    error = failure(relay, 0, "deaf", timeout=500)
    assert isinstance(error, NeverStarted)
    assert error.waits == [
        "the memory node waits for core 1",
        "core 1 waits until core 0 answers its greeting",
        *[f"core {core} waits for the start" for core in (0, 2, 3)],
    ]


def test_a_core_that_dies_is_named(relay):
    error = failure(relay, 2, "dead", timeout=500)
    assert isinstance(error, CoreDied) and "core 2 was killed by SIGKILL, before its first instruction" in str(error)


def test_a_stopped_core_is_told_waited_for_and_then_joins(relay):
    """All others have nothing to say for longer than it takes to give up."""
    notes, chips = [], []

    def go_on():
        wait_for(lambda: notes)
        time.sleep(PATIENCE + 2 * TRANSPORTS["ipc"].grace + 2)
        assert not chips and notes == ["core 2 is stopped (SIGSTOP): the run waits until it is continued (SIGCONT)"]
        continue_all()

    thread = threading.Thread(target=go_on)
    thread.start()
    with power_on(relay, observers=[Fate(2, "stopped")], timeout=500, notice=notes.append) as chip:
        chips.append(chip)
        assert (chip.run({"x": X})["y"] == X).all()
        assert process_of(chip, 2)
    thread.join()


def continue_all():
    """SIGCONT for what is stopped below this process."""
    for process in descendants():
        if stopped_by(process):
            os.kill(process, signal.SIGCONT)


def test_the_timeout_of_a_start_names_who_is_stopped_and_who_waits(relay, monkeypatch):
    """It passes when the others have come as far as they can, however long the machine takes for that."""
    notes, machines = [], []

    class Seen(LocalMachine):
        def start(self, orders):
            super().start(orders)
            machines.append(self)

    def monotonic():
        if not notes:
            return time.monotonic()
        board = machines[0].board
        waiting = (board.rows[:, BoardWord.ACTIVITY] == Activity.BINDING).sum()
        return time.monotonic() + (1000 if waiting == 3 and board.node[BoardWord.INDEX] == 1 else 0)

    monkeypatch.setattr(power, "LocalMachine", Seen)
    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=monotonic))
    error = failure(relay, 2, "stopped", timeout=500, notice=notes.append)
    assert isinstance(error, RunTimeout) and error.exit_code == 6
    assert error.unfinished == [
        "core 2 is stopped (SIGSTOP)",
        "the memory node waits for core 2 to join",
        *[f"core {core} waited for the addresses of its peers" for core in (0, 1, 3)],
    ]


class Clock:
    """A board, a clock and processes that do as a test says: `looks` after `seconds` each."""

    def __init__(self):
        self.board = Board(bytearray(Board.size(3)), [0, 1, 2])
        self.rows = {core: self.board.row(core) for core in range(3)}
        for core, row in self.rows.items():
            row.belongs(100 + core)
        self.board.node_row().does(Activity.BINDING, 1, 2)
        self.now, self.awake, self.switches = 0.0, set(), 0
        self.watch = StartWatch(TRANSPORTS["ipc"].grace)

    def run_counts(self, names):
        return None if self.awake & set(names) else {name: str(self.switches) for name in names}

    def looks(self, count, seconds=0.5, saying=()):
        """Who waits for whom if one of so many looks finds that nobody can start; `saying` speak again before each."""
        for _ in range(count):
            for core in saying:
                self.rows[core].said()
            self.now += seconds
            asked = self.watch.look(joining(self.board), self.now)
            if asked is not None:
                silent = {f"core {core}" for core in asked.silent}
                awake = (asked.awake or EVERYBODY - silent) & self.awake
                if self.watch.judge(self.run_counts(silent), frozenset(awake)):
                    return waits(self.board)
        return None


EVERYBODY = {"the zygote process", "the memory node", "core 0", "core 1", "core 2"}
ENOUGH = 40


@pytest.fixture
def clock():
    clock = Clock()
    clock.rows[0].does(Activity.BINDING)
    clock.rows[1].does(Activity.GREETING, 2, 1)
    return clock


def test_all_that_wait_must_have_spoken_in_vain(clock):
    assert clock.looks(ENOUGH, saying=[0]) is None
    assert clock.looks(SAYINGS - 1, saying=[1]) is None
    assert clock.looks(ENOUGH, saying=[0, 1])[0] == "the memory node waits for core 1 and 1 more to join"


def test_patience_comes_first(clock):
    grace = PATIENCE + 2 * TRANSPORTS["ipc"].grace
    assert clock.looks(int(grace / 0.01) - 1, 0.01, saying=[0, 1]) is None
    assert clock.looks(ROUNDS + 3, 0.01, saying=[0, 1]) is not None


def test_whoever_gets_on_keeps_all_from_being_given_up(clock):
    for left in range(ENOUGH, 0, -1):
        clock.rows[1].does(Activity.GREETING, 2, left)
        assert clock.looks(8, saying=[0, 1]) is None
    assert clock.looks(ENOUGH, saying=[0, 1]) is not None


@pytest.mark.parametrize("name", sorted(EVERYBODY))
def test_whoever_is_never_seen_asleep_keeps_all_from_being_given_up(clock, name):
    clock.awake.add(name)
    assert clock.looks(ENOUGH, saying=[0, 1]) is None
    clock.awake.clear()
    assert clock.looks(ENOUGH, saying=[0, 1]) is not None


def test_who_says_nothing_must_not_have_run(clock):
    for _ in range(ENOUGH):
        clock.switches += 1
        assert clock.looks(1, saying=[0, 1]) is None
    assert clock.looks(ENOUGH, saying=[0, 1]) is not None


def test_those_who_wait_may_run_now_and_then(clock):
    """They look, and say again what was not answered: that is no movement."""
    clock.rows[2].does(Activity.READY)
    for _ in range(ENOUGH):
        clock.switches += 1
        if error := clock.looks(1, saying=[0, 1, 2]):
            break
    assert error is not None


def test_a_run_that_has_begun_is_not_watched(clock):
    for row in clock.rows.values():
        row.does(Activity.RUNNING)
    assert joining(clock.board) is not None  # the barrier is closed
    node = clock.board.node_row()
    node.does(Activity.RUNNING)
    assert joining(clock.board) is None and clock.looks(ENOUGH) is None
    clock.rows[1].does(Activity.READY)  # it has not heard of the start
    assert clock.looks(ENOUGH, saying=[1]) == ["core 1 waits for the start"]


def test_sentences_of_many(clock):
    board = Board(bytearray(Board.size(20)), list(range(20)))
    assert waits(board)[0] == "the memory node has not said yet where it listens"
    board.node_row().does(Activity.READY, HOST, 1)
    for core in range(20):
        board.row(core).does(Activity.GREETING, 19, core + 1)
    assert waits(board) == [
        "the memory node waits for the launcher",
        "core 0 waits until core 19 answers its greeting",
        *[f"core {core} waits until core 19 answers its greeting, and {core} more" for core in (1, 2, 3)],
        "so do 16 more cores",
    ]
    assert board.rows[:, BoardWord.SAID].sum() == 0
