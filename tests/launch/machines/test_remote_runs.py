"""Runs on agents: bits and errors as on one machine, and what happens when an agent, its link or the launcher ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from agents import PATIENCE, ended, joined_agents, start_agent
from cut_proxy import CutProxy
from images import byte_tensor, write_endless, write_image
from program_sets import DEADLOCKS, SLOT, ordered_messages
from run_processes import wait_for
from stepper import program
from tensors import image_buffer

from emu.isa.dtypes import DType
from emu.program.program import Program
from launch.chips.power import power_on
from launch.chips.sequential import power_on_sequential
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.processes.interpreter import child_environment
from launch.supervision.errors import CoreDied, Deadlock, HostLost
from launch.system.process_state import alive
from launch.system.readable import readable

SUPPORT = Path(__file__).parents[2] / "support"
CORES = 4
ORDER = [(0, 1, 60), (1, 2, 1), (2, 3, 33), (3, 0, 61), (0, 2, 7), (2, 1, 61), (1, 3, 30), (3, 2, 50), (0, 3, 61)] * 3
LAUNCHER = """
import sys
from pathlib import Path
from agents import power_on_agents
with power_on_agents(Path(sys.argv[1]), engine="step") as chip:
    print(*chip.processes.values(), flush=True)
    chip.run({})
"""


def powered(image, agents, **named):
    named = {"transport": "tcp", "timeout": 60} | named
    return power_on(image, others=[RemoteMachine(agent) for agent in agents], **named)


@pytest.fixture
def relay(tmp_path):
    """x of 100 bytes goes through four cores to y; core 1 keeps it as tensor `middle`."""
    programs = {
        0: program(0, ("ld", 0, 1000, 100), ("send", 1, 0, 100)),
        1: program(1, ("recv", 0, 0, 100), ("send", 2, 0, 100)),
        2: program(2, ("recv", 1, 8, 100), ("send", 3, 8, 100)),
        3: program(3, ("recv", 2, 8, 100), ("st", 0, 8, 100)),
    }
    middle = image_buffer("middle", (0, 100), 1, 1, DType.u8, 0, 1)
    programs[1] = Program(1, main=programs[1].main, buffers=(middle,))
    return write_image(tmp_path / "relay", programs, (byte_tensor("x", 100, 1000),), (byte_tensor("y", 100, 0),))


def samples(count):
    return ({"x": np.full((1, 100), k % 256, np.uint8)} for k in range(count))


@pytest.fixture
def endless(tmp_path):
    return write_endless(tmp_path / "endless")


def test_runs_follow_each_other_on_the_same_agents(tmp_path, relay, endless, emu_zygotes, fresh_agents):
    messages = ordered_messages(CORES, ORDER)
    mixed = write_image(tmp_path / "mixed", messages, (), (byte_tensor("y", 4 * SLOT * CORES, 0),))
    with power_on_sequential(mixed, engine="step") as chip:
        expected = chip.run({})["y"]
    with joined_agents(2) as agents:
        with powered(mixed, agents, zygotes=emu_zygotes, flow="credits:2") as chip:
            assert all(np.array_equal(result.outputs["y"], expected) for result in chip.stream([{}] * 3))
        streams_with_captures(relay, agents, emu_zygotes)
        tells_deadlock(tmp_path / "stuck", agents, emu_zygotes)
        names_who_was_killed(endless, agents, emu_zygotes)


def streams_with_captures(relay, agents, zygotes):
    with powered(relay, agents, zygotes=zygotes, keep=["all"], cores=7) as chip:
        results = list(chip.stream(samples(70)))
        assert [result.sample for result in results] == list(range(70))
        for k, result in enumerate(results):
            assert result.outputs["y"].tolist() == [[k] * 100]
            assert result.captures == {(1, 0): bytes([k] * 100)}
        assert set(chip.processes) >= {
            *("the memory node", "the zygote process", "core 0 on host h0", "core 3 on host h1"),
            *("the zygote process on host h0", "the zygote process on host h1"),
        }
        wait_for(lambda: chip.board.sent.sum() == 3 * 70 == chip.board.taken.sum())


def tells_deadlock(folder, agents, zygotes):
    programs, _, _ = DEADLOCKS["send cycle of 3"]
    image = write_image(folder, programs)
    with power_on_sequential(image) as chip, pytest.raises(Deadlock) as expected:
        chip.run({})
    with powered(image, agents, zygotes=zygotes) as chip, pytest.raises(Deadlock) as error:
        chip.run({})
    assert str(error.value) == str(expected.value)


def names_who_was_killed(endless, agents, zygotes):
    with powered(endless, agents, zygotes=zygotes, engine="step") as chip:
        victim = chip.processes["core 0 on host h0"]
        killer = threading.Timer(0.3, os.kill, (victim, signal.SIGSEGV))
        killer.start()
        with pytest.raises(CoreDied, match=r"core 0 on host h0 was killed by SIGSEGV, last seen at main\[1\] st"):
            chip.run({})
        killer.join()


def test_a_host_whose_agent_is_killed_is_lost_with_its_cores(endless, emu_zygotes):
    with AgentListener() as listener:
        processes = [start_agent(listener.bootstrap, rank, "--name", f"h{rank}") for rank in range(2)]
        agents = listener.wait_for(2, PATIENCE)
        with powered(endless, agents, zygotes=emu_zygotes, engine="step") as chip:
            cores = [process for name, process in chip.processes.items() if name.startswith("core")]
            killer = threading.Timer(0.3, processes[0].kill)
            killer.start()
            with pytest.raises(HostLost, match=r"^host h0 is lost \(core 0\), last seen at \d\d:\d\d:\d\d$") as error:
                chip.run({})
            assert error.value.exit_code == 5
            killer.join()
        wait_for(lambda: not any(map(alive, cores)))
    assert [ended(process)[0] for process in processes] == [-signal.SIGKILL, 0]


def test_a_report_that_came_while_somebody_else_looked_wakes_who_waits_for_it(relay, emu_zygotes):
    with joined_agents(1) as (agent,):
        machine = RemoteMachine(agent)
        with power_on(relay, others=[machine], transport="tcp", zygotes=emu_zygotes) as chip:
            os.kill(chip.processes["core 1 on host h0"], signal.SIGKILL)
            until = time.monotonic() + 2
            while time.monotonic() < until:
                assert chip.board.sent.sum() == 0  # looks at the machine
            assert readable(agent.descriptor, 0)
            with pytest.raises(CoreDied, match="core 1 on host h0"):
                chip.supervisor.next_result()


def test_a_run_whose_link_is_cut_for_two_seconds_goes_on(relay, emu_zygotes):
    listener = AgentListener()
    with CutProxy(int(listener.bootstrap.address.rpartition(":")[2])) as proxy, listener:
        process = start_agent(listener.bootstrap, 0, "--name", "h0", address=proxy.address)
        agents = listener.wait_for(1, PATIENCE)
        cuts = threading.Timer(0.1, proxy.freeze), threading.Timer(2.1, proxy.heal)
        with powered(relay, agents, zygotes=emu_zygotes) as chip:
            begin = time.monotonic()
            for cut in cuts:
                cut.start()
            done = 0
            while time.monotonic() - begin < 2.6:
                for result in chip.stream(samples(20)):
                    assert result.outputs["y"][0, 0] == result.sample
                    done += 1
            wait_for(lambda: chip.board.sent.sum() == 3 * done)
    assert ended(process) == (0, "")


def test_cores_end_when_their_launcher_is_killed(endless):
    path = os.pathsep.join([str(SUPPORT), child_environment()["PYTHONPATH"]])
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, str(endless)],
        stdout=subprocess.PIPE,
        text=True,
        env={**child_environment(), "PYTHONPATH": path},
    )
    assert launcher.stdout
    processes = list(map(int, launcher.stdout.readline().split()))
    assert len(processes) >= 6  # two cores, the memory node, three zygotes
    launcher.kill()
    launcher.wait()
    launcher.stdout.close()
    wait_for(lambda: not any(map(alive, processes)))
