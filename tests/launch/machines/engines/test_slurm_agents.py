import sys
from pathlib import Path

import numpy as np
import pytest
import slurm_stand_in
from images import write_relay
from standing_agents import Launcher, until

from emu.errors import InputError
from launch import power_on
from launch.machines.engines.slurm import Slurm
from launch.machines.engines.table import engine_of


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """An allocation of three nodes, whose tasks run on this one."""
    program = Path(slurm_stand_in.__file__)
    for name in ("srun", "scontrol"):
        (tmp_path / name).write_text(f"#!{sys.executable} -IS\n{program.read_text()}")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "node[1-2,7]")
    monkeypatch.setenv("SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1")
    return engine_of("slurm")


def test_every_node_gets_an_agent_that_knows_its_rank_and_the_secret(slurm):
    assert slurm.count == 3 and slurm.nodes == ["node1", "node2", "node7"]
    with Launcher() as launcher, slurm.place(launcher.bootstrap) as placed:
        agents = launcher.wait_for(3)
        assert [agent.said["rank"] for agent in agents] == [0, 1, 2]
        assert [agent.said["words"]["--name"] for agent in agents] == ["node1", "node2", "node7"]
        assert {agent.said["secret"] for agent in agents} == {launcher.bootstrap.secret}
        assert placed.names == slurm.nodes and placed.ended() == []
        for agent in agents:
            agent.told(code=0, says="all done")
        until(lambda: len(placed.ended()) == 3)
        assert placed.ended()[0] == (
            "node1",
            "the agent of host node1 is gone with its step: srun ended with exit code 0",
        )


def test_cores_run_on_nodes(slurm, tmp_path, emu_zygotes):
    sample = np.arange(100, dtype=np.uint8)[None]
    with power_on(write_relay(tmp_path / "relay"), hosts="slurm", zygotes=emu_zygotes) as chip:
        assert {"core 0 on host node1", "core 1 on host node2"} <= set(chip.processes)
        assert np.array_equal(chip.run({"x": sample})["y"], sample)


def test_the_first_of_the_agents_that_ends_badly_is_told_first_with_its_last_words(slurm):
    with Launcher() as launcher, slurm.place(launcher.bootstrap) as placed:
        agents = launcher.wait_for(3)
        agents[1].told(code=2, says="error: no space left")
        until(lambda: len(placed.ended()) == 3)
        first, *others = placed.ended()
        assert first == (
            "node2",
            "the agent of host node2 has ended (Exited with exit code 2): no space left",
        )
        assert {name for name, _ in others} == {"node1", "node7"}
        assert all("has ended (Terminated)" in sentence for _, sentence in others)


def test_a_killed_agent_is_told_of(slurm):
    with Launcher() as launcher, slurm.place(launcher.bootstrap) as placed:
        launcher.wait_for(3)[2].kill()
        assert until(placed.ended)[0] == ("node7", "the agent of host node7 has ended (Killed)")


def test_agents_that_do_not_end_are_ended_with_their_step(slurm):
    with Launcher() as launcher:
        placed = slurm.place(launcher.bootstrap)
        for agent in launcher.wait_for(3):
            agent.told(deaf=True)
        placed.close()
        placed.close()


def test_a_step_that_cannot_begin_is_told_of_for_every_node(slurm, tmp_path):
    (tmp_path / "srun").write_text("#!/bin/sh\necho srun: error: Invalid job id specified\nexit 1\n")
    with Launcher() as launcher, slurm.place(launcher.bootstrap) as placed:
        until(lambda: len(placed.ended()) == 3)
        words = "is gone with its step: srun ended with exit code 1: srun: error: Invalid job id specified"
        assert placed.ended() == [(node, f"the agent of host {node} {words}") for node in slurm.nodes]


def test_a_node_that_fails_is_told_of(slurm, tmp_path):
    (tmp_path / "srun").write_text("#!/bin/sh\necho srun: error: Node failure on node2\nread line; read line\n")
    with Launcher() as launcher, slurm.place(launcher.bootstrap) as placed:
        assert until(placed.ended) == [("node2", "the agent of host node2 has ended (its node has failed)")]


def test_the_launcher_listens_where_slurm_says_if_names_of_nodes_say_nothing(slurm, monkeypatch):
    monkeypatch.setenv("SLURM_LAUNCH_NODE_IPADDR", "10.1.2.3")
    assert slurm.listen_address() == "10.1.2.3"
    assert Slurm(["127.0.0.1"]).listen_address() == "127.0.0.1"
    monkeypatch.delenv("SLURM_LAUNCH_NODE_IPADDR")
    with pytest.raises(InputError, match="host 'node1' of hosts cannot be reached"):
        slurm.listen_address()


def test_outside_an_allocation_slurm_is_refused(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    with pytest.raises(InputError, match="slurm works inside an allocation only"):
        Slurm.parse("")


def test_nodes_that_slurm_does_not_know_are_refused(slurm, monkeypatch, tmp_path):
    monkeypatch.setenv("SLURM_JOB_NODELIST", "node[1")
    with pytest.raises(InputError, match=r"scontrol, .* SLURM_JOB_NODELIST='node\[1' means, ended with exit code 1"):
        Slurm.parse("")
    (tmp_path / "scontrol").unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"slurm: scontrol, .* No such file"):
        Slurm.parse("")
