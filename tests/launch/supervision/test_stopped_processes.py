"""Processes that are stopped: told as such, not taken for dead, and right when they are continued."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from images import byte_tensor, write_image
from run_processes import process_of, stopped, wait_for
from stepper import program

from emu.noc.wire.transports import TRANSPORTS
from launch.chips.power import power_on
from launch.processes.log import core_log, tail
from launch.supervision.errors import RunTimeout
from launch.system import process_state

COUNT = 40


@pytest.fixture
def relay(tmp_path):
    """Core 0 loads x and sends it to core 1, which sends it back, and so on; in the end core 0 stores it as y."""
    forth = [("send", 1, 0, 8), ("recv", 1, 0, 8)] * COUNT
    back = [("recv", 0, 0, 8), ("send", 0, 0, 8)] * COUNT
    programs = {0: program(0, ("ld", 0, 0, 8), *forth, ("st", 8, 0, 8)), 1: program(1, *back)}
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 8, 0),), (byte_tensor("y", 8, 8),))


X = np.arange(8, dtype=np.uint8).reshape(1, 8)


def in_background(chip, outcome):
    thread = threading.Thread(target=lambda: outcome.append(chip.run({"x": X})["y"]))
    thread.start()
    return thread


@pytest.mark.few(1)
@pytest.mark.parametrize("flow", ["rendezvous", "credits:1"])
def test_a_stopped_core_is_told_and_ends_right_when_it_is_continued(relay, flow):
    notes, outcome = [], []
    with power_on(relay, flow=flow, timeout=60, notice=notes.append) as chip:
        chip.run({"x": X})
        with stopped(process_of(chip, 1)):
            thread = in_background(chip, outcome)
            wait_for(lambda: notes)
            time.sleep(TRANSPORTS["ipc"].grace + 0.2)  # neither a lost message nor a deadlock
            assert not outcome
        thread.join()
        assert (outcome[0] == X).all()
    assert notes[0].startswith("core 1 is stopped (SIGSTOP) at main[") and len(notes) <= 2


def test_the_timeout_names_who_is_stopped_first(relay):
    with power_on(relay, timeout=60) as chip:
        chip.run({"x": X})
        chip.supervisor.timeout = 0.3
        with stopped(process_of(chip, 1)), pytest.raises(RunTimeout) as error:
            chip.run({"x": X})
    first, second = error.value.unfinished
    assert first.startswith("core 1 is stopped (SIGSTOP) at main[")
    assert second.startswith("core 0 waited") and error.value.exit_code == 6


@pytest.mark.parametrize(("name", "sentence"), [("memory", "the memory node"), ("zygote", "the zygote process")])
def test_stopped_helpers_are_told(relay, name, sentence):
    with power_on(relay, timeout=60) as chip:
        chip.run({"x": X})
        chip.supervisor.timeout = 0.3
        helpers = chip.processes
        with stopped(process_of(chip, 1)), stopped(helpers[sentence]), pytest.raises(RunTimeout) as error:
            began = time.monotonic()
            chip.run({"x": X})
        assert error.value.unfinished[0] == f"{sentence} is stopped (SIGSTOP)"
    assert time.monotonic() - began < 8, "the end of the run waited for the zygote"


def test_processes_that_are_gone_are_not_stopped():
    assert process_state.stopped_by(1 << 30) == "" and process_state.sleeping_run_counts([1 << 30]) is None


def test_sleepers_rest_and_stopped_ones_do_not():
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdin=-1, stdout=-1) as child:
        child.stdout.readline()
        wait_for(lambda: process_state.sleeping_run_counts([child.pid]))
        before = process_state.sleeping_run_counts([child.pid])
        with stopped(child.pid):
            wait_for(lambda: process_state.stopped_by(child.pid) == "SIGSTOP")
            assert process_state.sleeping_run_counts([child.pid]) is None
        wait_for(lambda: process_state.sleeping_run_counts([child.pid]))
        assert process_state.sleeping_run_counts([child.pid]) != before  # it has run meanwhile
        child.stdin.close()


def test_the_end_of_a_log_is_read(tmp_path):
    (tmp_path / "core_0003.log").write_text("\n".join(f"   {number} line" for number in range(1000)) + "\n")
    assert tail(str(tmp_path), core_log(3)) == ["997 line", "998 line", "999 line"]
    assert tail(str(tmp_path), "core_0004") == tail("", "core_0003") == []
