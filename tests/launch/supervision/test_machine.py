"""The supervisor knows a machine by its protocol only: one of threads, which share no clock, does as well."""

import numpy as np
import pytest
from stepper import program
from thread_machine import ThreadMachine

from emu.noc.memory.host_link import HostLink
from emu.noc.watch.watch import Watch
from launch.processes.machine import Machine
from launch.processes.options import RunOptions
from launch.processes.orders import Orders, ProcessOptions
from launch.supervision.errors import CoreDied, CoreTrapped, Deadlock
from launch.supervision.supervisor import Supervisor

SIZE, TOKEN = 8, b"t" * 32
RELAY = {
    0: program(0, ("ld", 0, 0, SIZE), ("send", 1, 0, SIZE)),
    1: program(1, ("recv", 0, 0, SIZE), ("send", 2, 0, SIZE)),
    2: program(2, ("recv", 1, 0, SIZE), ("st", 32, 0, SIZE)),
}


def orders_of(programs, directory):
    return Orders(
        image="",
        programs=list(programs),
        idle=[],
        options=ProcessOptions.of(RunOptions(engine="step")),
        keep={},
        token=TOKEN,
        directory=str(directory),
        observers=[],
        started=0.0,
        global_size=64,
        outputs=[(32, SIZE)],
        largest=1 << 20,
    )


@pytest.fixture
def launch(monkeypatch, tmp_path):
    """Starts programs on a machine of threads; gives machine, link and supervisor once all may start."""
    ends = []

    def start(programs):
        machine = ThreadMachine(programs, monkeypatch)
        ends.append(machine.close)
        supervisor = supervised(machine, programs)
        link = HostLink(machine.net, supervisor.endpoint(), 1)
        ends.append(link.close)
        supervisor.follow(link)
        assert supervisor.next_result() is None
        return machine, link, supervisor

    def supervised(machine: Machine, programs):
        machine.start(orders_of(programs, tmp_path))
        return Supervisor(machine, Watch(machine.board, programs), 60, "ipc")

    yield start
    for end in reversed(ends):
        end()


def inputs(sample):
    return np.full(SIZE, sample, np.uint8)


def test_samples_flow_through(launch):
    _, link, supervisor = launch(RELAY)
    for sample in range(12):
        link.put(sample, [(0, inputs(sample))])
        if sample >= 3:
            result = supervisor.next_result()
            assert (result.sample, result.blocks) == (sample - 3, [inputs(sample - 3).tobytes()])
            assert not result.unsettled


def test_a_sync_may_be_left_over(launch):
    _, link, supervisor = launch({0: program(0, ("sync", 1, 0)), 1: program(1)})
    link.put(0, [])
    assert supervisor.next_result().unsettled


def test_a_trap_names_the_first_sample_that_failed(launch):
    _, link, supervisor = launch(RELAY | {2: program(2, ("recv", 1, 0, SIZE), ("ld", 0, 60, SIZE))})
    for sample in range(3):
        link.put(sample, [(0, inputs(sample))])
    with pytest.raises(CoreTrapped, match="core 2") as caught:
        supervisor.next_result()
    assert caught.value.sample == 0


def test_a_deadlock_is_told(launch):
    _, link, supervisor = launch({k: program(k, ("recv", 1 - k, 0, 4), ("send", 1 - k, 0, 4)) for k in (0, 1)})
    link.put(0, [])
    with pytest.raises(Deadlock, match="0 -> 1 -> 0"):
        supervisor.next_result()


def test_a_machine_that_is_lost_ends_the_run(launch):
    machine, link, supervisor = launch(RELAY)
    link.put(0, [(0, inputs(0))])
    assert supervisor.next_result().blocks == [bytes(SIZE)]
    machine.breaks()
    with pytest.raises(CoreDied, match="the zygote process"):
        supervisor.next_result()
