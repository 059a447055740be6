"""Agents as processes: they join, are missed when they stop or die, and end with their launcher."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from agents import PATIENCE, ended, joined_agents, pump_until, start_agent
from cut_proxy import CutProxy

from emu.errors import InputError
from launch.machines.facts import machine_facts
from launch.machines.listening import LOST, AgentListener
from launch.machines.ranks import RANKS, host_name, rank_of
from launch.processes.interpreter import child_environment
from launch.supervision.errors import HostLost
from launch.system.readable import readable

SUPPORT = Path(__file__).parents[2] / "support"
ALIVE = 20.0  # seconds for an agent to end behind its launcher: 5, and what a busy machine takes
LAUNCHER = """
import os, sys, time
from agents import joined_agents
with joined_agents(2) as agents:
    print(*(agent.ask("pid", 5.0) for agent in agents), flush=True)
    time.sleep(60)
"""


def test_agents_tell_what_their_machine_has_and_end_with_the_launcher(fresh_agents):
    with joined_agents(2) as agents:
        assert [agent.rank for agent in agents] == [0, 1]
        assert [agent.name for agent in agents] == ["h0", "h1"]
        own = machine_facts("tcp://127.0.0.1:1")
        for agent in agents:
            assert agent.facts.address == "127.0.0.1"
            assert replace(agent.facts, memory=0) == replace(own, memory=0)
            assert agent.facts.memory > 0
            assert agent.ask("no such question", 5.0) is None


def test_ranks_come_from_launchers_of_jobs():
    with AgentListener() as listener:
        agents = [start_agent(listener.bootstrap, None, variables={RANKS[rank]: str(rank)}) for rank in range(2)]
        assert [agent.rank for agent in listener.wait_for(2, PATIENCE)] == [0, 1]
    assert [ended(agent) for agent in agents] == [(0, ""), (0, "")]
    assert rank_of(3, {RANKS[0]: "1"}) == 3
    assert rank_of(None, {RANKS[2]: "7", RANKS[1]: "5"}) == 5
    with pytest.raises(InputError, match="nothing says which agent this is: give rank, or set one of SLURM_PROCID"):
        rank_of(None, {})
    for text in ("-1", "1048576", "9" * 5000):
        with pytest.raises(InputError, match=r"the variable PMI_RANK is '.*, and should be the rank"):
            rank_of(None, {"PMI_RANK": text})
    with pytest.raises(InputError, match="rank 1000000000000 is no rank of an agent: give one from 0 to 1048575"):
        rank_of(10**12)


def test_names_of_hosts_are_text_that_travels():
    assert host_name("node\udcff") == "node\\udcff"
    assert host_name("")


def test_several_agents_of_one_machine_have_names_of_their_own():
    with AgentListener() as listener:
        agents = [start_agent(listener.bootstrap, rank, "--name", "here") for rank in range(2)]
        assert [agent.name for agent in listener.wait_for(2, PATIENCE)] == ["here-0", "here-1"]
    assert [ended(agent)[0] for agent in agents] == [0, 0]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_an_agent_that_is_killed_or_stopped_is_lost(number):
    with AgentListener() as listener:
        process = start_agent(listener.bootstrap, 0, "--name", "h0")
        (agent,) = listener.wait_for(1, PATIENCE)
        process.send_signal(number)
        begin = time.monotonic()
        pump_until(agent, lambda: agent.gone)
        assert LOST - 0.6 < time.monotonic() - begin < LOST + 4
        assert agent.loss().startswith("host h0 is lost, last seen at ")
        if number == signal.SIGSTOP:
            process.send_signal(signal.SIGCONT)
    # Continued, it hears that it may end, or that nobody is there any more.
    assert ended(process)[0] in ((0, 5) if number == signal.SIGSTOP else (-signal.SIGKILL,))


def test_an_agent_that_is_stopped_for_two_seconds_goes_on():
    with joined_agents(1) as (agent,):
        process = agent.ask("pid", 5.0)
        os.kill(process, signal.SIGSTOP)
        time.sleep(2)
        os.kill(process, signal.SIGCONT)
        assert agent.ask("pid", 5.0) == process
        assert not agent.gone


def test_an_agent_that_is_terminated_says_so_at_once():
    with AgentListener() as listener:
        process = start_agent(listener.bootstrap, 0, "--name", "h0")
        (agent,) = listener.wait_for(1, PATIENCE)
        begin = time.monotonic()
        process.terminate()
        pump_until(agent, lambda: agent.gone)
        assert time.monotonic() - begin < LOST - 0.5
        assert "host h0 is lost, last seen at " in agent.loss()
        assert agent.loss().endswith(": its agent was ended by SIGTERM")
    assert ended(process)[0] == 143


def test_agents_end_when_their_launcher_is_killed():
    launcher = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER],
        stdout=subprocess.PIPE,
        text=True,
        env={**child_environment(), "PYTHONPATH": os.pathsep.join([str(SUPPORT), child_environment()["PYTHONPATH"]])},
    )
    assert launcher.stdout
    agents = [os.pidfd_open(int(process)) for process in launcher.stdout.readline().split()]
    assert len(agents) == 2
    launcher.kill()
    launcher.wait()
    begin = time.monotonic()
    for agent in agents:
        assert readable(agent, ALIVE - (time.monotonic() - begin))
        os.close(agent)
    launcher.stdout.close()


def test_an_agent_that_is_lost_before_the_others_have_joined_is_not_said_to_be_missing():
    with AgentListener() as listener:
        process = start_agent(listener.bootstrap, 0, "--name", "h0")
        agent = listener.wait_for(1, PATIENCE)[0]
        process.kill()
        process.communicate()
        lost = pytest.raises(HostLost, match=r"^host h0 is lost, last seen at \d\d:\d\d:\d\d$")
        gone = [(agent.name, "the agent of host h0 was killed by SIGKILL")]
        with lost:
            listener.wait_for(2, PATIENCE, lambda: gone, {0: "h0", 1: "h1"})


def test_a_launcher_that_does_not_answer_is_named():
    with AgentListener() as listener, CutProxy(1) as nobody:
        agent = start_agent(listener.bootstrap, 0, "--join-timeout", "0.5", address=nobody.address)
        code, errors = ended(agent)
    assert code == 2
    assert f"no launcher at {nobody.address} has answered within 0.5 s" in errors


def test_a_refused_agent_says_why():
    with AgentListener() as listener:
        first, second = (start_agent(listener.bootstrap, 0, "--name", "h0") for _ in range(2))
        with pytest.raises(
            InputError, match="host h0 has an agent 0, and there is one already: give each another rank"
        ):
            listener.wait_for(2, PATIENCE)
    (code, refused), (right, silence) = sorted((ended(first), ended(second)), reverse=True)
    assert (code, right, silence) == (2, 0, "")
    assert "the launcher refuses this agent: host h0 has an agent 0, and there is one already" in refused
