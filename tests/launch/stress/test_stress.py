"""Stress tests on core processes: results, faults that are found, and nothing left behind when they are killed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from leaks import descendants

from emu.errors import InputError
from emu.stress import payload
from emu.stress.workload import make_workload
from launch.processes.options import RunOptions
from launch.stress.job import StressJob, judge, run_stress
from launch.supervision.errors import Deadlock


@pytest.mark.parametrize(("flow", "transport"), [("rendezvous", "ipc"), ("credits:2", "tcp")])
def test_a_run_verifies_and_is_measured(flow, transport):
    result = run_stress(
        StressJob(
            pattern="halo2d",
            size="uniform:12,400",
            count=5,
            options=RunOptions(cores=6, flow=flow, transport=transport),
        )
    )
    assert (result.errors, result.samples, result.messages) == (0, 1, 5 * 14)
    assert result.latency is not None and result.latency.count == result.messages
    assert 0 < result.latency.p50 <= result.latency.p99 <= result.latency.largest <= result.run_seconds + 1
    assert result.loads().total == result.bytes


def test_a_duration_repeats_samples_with_fresh_numbers():
    result = run_stress(StressJob(pattern="ring", count=10, duration=0.3, options=RunOptions(cores=3)))
    assert result.errors == 0 and result.samples > 1 and result.run_seconds >= 0.3


def test_a_rate_holds_every_core_back():
    result = run_stress(StressJob(pattern="pingpong", count=11, rate=50, options=RunOptions(cores=2)))
    assert result.errors == 0 and result.run_seconds >= 10 / 50


def test_the_deadlock_is_found_out():
    result = run_stress(StressJob(pattern="deadlock", options=RunOptions(cores=5)))
    assert result.errors == 0 and "and so on, a cycle of 5 cores" in result.deadlock
    assert result.latency is not None and result.latency.count == 5  # the good round before it


def test_a_deadlock_that_does_not_come_is_an_error(monkeypatch):
    monkeypatch.setattr("launch.stress.job.make_workload", lambda name, *rest: make_workload("ring", *rest))
    assert run_stress(StressJob(pattern="deadlock", options=RunOptions(cores=3))).errors == 1


def test_a_deadlock_that_must_not_be_is_one(monkeypatch):
    monkeypatch.setattr("launch.stress.job.make_workload", lambda name, *rest: make_workload("deadlock", *rest))
    with pytest.raises(Deadlock):
        run_stress(StressJob(pattern="ring", options=RunOptions(cores=3)))


def test_wrong_messages_are_told(monkeypatch):
    whole = payload.Payload.send

    def send(self, builder, peer, index, size):
        whole(self, builder, peer, index + (peer == 2), size)  # to core 2: number and data of another message

    monkeypatch.setattr(payload.Payload, "send", send)
    result = run_stress(StressJob(pattern="ring", size="20", count=3, options=RunOptions(cores=4)))
    assert [str(fault) for fault in result.faults] == [
        "core 2, sample 0: 12 words differ, the checksum of all that it received is wrong"
    ]


def test_judging_names_core_and_fault():
    workload = make_workload("ring", 3, "16", 2)
    status = workload.expected(7).copy()
    status[1, 2] += 1
    (fault,) = judge(workload, 7, status)
    assert str(fault) == "core 1, sample 7: its count of messages is wrong"
    assert judge(workload, 7, workload.expected(7)) == []


def test_unknown_patterns_are_refused_before_anything_starts():
    with pytest.raises(InputError, match="pattern 'swirl' is unknown"):
        run_stress(StressJob(pattern="swirl", options=RunOptions(cores=3)))
    assert not descendants()


@pytest.mark.few(1)
@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_killed_launcher_leaves_nothing(kill, tmp_path):
    command = "from launch.cli import main; main()"
    arguments = ["stress", "ring", "--cores", "4", "--duration", "60", "--log-dir", str(tmp_path / "log")]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", command, *arguments], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not list((tmp_path / "log").glob("core_*.log")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(tmp_path.glob("emu-stress-*"))
    process.send_signal(kill)
    process.wait(20)
    while list(tmp_path.glob("emu-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not list(tmp_path.glob("emu-*"))


def test_numbers_of_samples_are_int32():
    workload = make_workload("ring", 3, "16", 2)
    assert np.int32(workload.first_number(10**12)) == (10**12 * 6 + 2**31) % 2**32 - 2**31
