"""Agents as forks of one process: who they are, how they end, what is told when they cannot be started."""

import os
import signal
from pathlib import Path

import pytest
from agents import PATIENCE, pump_until
from standing_agents import until

from emu.errors import InputError
from launch.machines.engines.local import Local
from launch.machines.listening import AgentListener


def test_local_agents_have_ranks_names_and_ends_of_their_own():
    with AgentListener() as listener, Local(3).place(listener.bootstrap) as placed:
        agents = listener.wait_for(3, PATIENCE, placed.ended)
        assert [agent.name for agent in agents] == placed.names == ["local-0", "local-1", "local-2"]
        processes = [agent.ask("pid", PATIENCE) for agent in agents]
        assert len({*processes, os.getpid()}) == 4 and placed.ended() == []
        os.kill(processes[1], signal.SIGKILL)
        os.kill(processes[2], signal.SIGTERM)
        until(lambda: len(placed.ended()) == 2, PATIENCE)
        assert dict(placed.ended())["local-1"] == "the agent of host local-1 was killed by SIGKILL"
        assert dict(placed.ended())["local-2"].startswith("the agent of host local-2 ended with exit code 143")
        pump_until(agents[1], lambda: agents[1].gone)
        agents[0].send("END")
        until(lambda: len(placed.ended()) == 3, PATIENCE)
        assert dict(placed.ended())["local-0"] == (
            "the agent of host local-0 ended with exit code 0: agent 0 on host local-0: 0 runs"
        )


def test_a_local_agent_that_is_stopped_is_ended():
    with AgentListener() as listener:
        placed = Local(1).place(listener.bootstrap)
        (agent,) = listener.wait_for(1, PATIENCE)
        os.kill(agent.ask("pid", PATIENCE), signal.SIGSTOP)
        placed.close()
        placed.close()


def test_local_agents_whose_common_process_ends_are_told_of():
    with AgentListener() as listener, Local(2).place(listener.bootstrap) as placed:
        agents = listener.wait_for(2, PATIENCE, placed.ended)
        status = Path(f"/proc/{agents[0].ask('pid', PATIENCE)}/stat").read_text()
        os.kill(int(status.rpartition(")")[2].split()[1]), signal.SIGKILL)  # its parent
        until(lambda: len(placed.ended()) == 2, PATIENCE)


def test_local_agents_that_cannot_be_started_are_named(monkeypatch):
    def refuse(*_, **__):
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("launch.processes.fork_server_process.ForkServerProcess.fork", refuse)
    said = r"the agent of host local-0 cannot be started: no process can be started for an agent .*it had not joined"
    with (
        AgentListener() as listener,
        Local(1).place(listener.bootstrap) as placed,
        pytest.raises(InputError, match=said),
    ):
        listener.wait_for(1, PATIENCE, placed.ended)
