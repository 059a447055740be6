import time

import pytest
from standing_agents import Launcher, Standing, until

from emu.errors import InputError
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.started import PlacedProcesses


def placed_by(bootstrap: Bootstrap, count: int) -> PlacedProcesses:
    names = [f"h{rank}" for rank in range(count)]
    return PlacedProcesses({name: bootstrap.command(rank, name) for rank, name in enumerate(names)}, bootstrap.line())


def test_every_agent_is_told_the_line_its_rank_and_its_name():
    with Launcher() as launcher, placed_by(launcher.bootstrap, 3) as placed:
        agents = launcher.wait_for(3)
        assert placed.names == ["h0", "h1", "h2"] and placed.ended() == []
        for rank, agent in enumerate(agents):
            said = agent.said
            assert said["secret"] == launcher.bootstrap.secret and said["key"] == launcher.bootstrap.server_key
            assert said["words"]["--rank"] == str(rank) and said["words"]["--name"] == placed.names[rank]
            agent.told(code=0)
        until(lambda: len(placed.ended()) == 3)


def test_agents_that_end_are_told_of_in_their_order_and_once():
    with Launcher() as launcher, placed_by(launcher.bootstrap, 3) as placed:
        agents = launcher.wait_for(3)
        agents[2].told(code=2, says="noise\nerror: no \x1b[31mspace left")
        until(placed.ended)
        agents[0].kill()
        until(lambda: len(placed.ended()) == 2)
        assert placed.ended() == [
            ("h2", "the agent of host h2 ended with exit code 2: no \\x1b[31mspace left"),
            ("h0", "the agent of host h0 was killed by SIGKILL"),
        ]
        agents[1].told(code=0)


def test_agents_that_do_not_end_are_ended():
    with Launcher() as launcher:
        placed = placed_by(launcher.bootstrap, 2)
        for agent in launcher.wait_for(2):
            agent.told(deaf=True)
        begin = time.monotonic()
        placed.close()
        assert time.monotonic() - begin < 8
        placed.close()


def test_a_command_that_does_not_listen_is_killed_with_what_it_has_started():
    deaf = "trap '' TERM; sleep 1000 & echo started; wait; sleep 1000"
    placed = PlacedProcesses({"a": ["sh", "-c", deaf]}, b"")
    placed.close()
    assert placed.ended() == []


def test_an_agent_that_prints_without_end_is_not_held_up():
    with Launcher() as launcher, placed_by(launcher.bootstrap, 1) as placed:
        (agent,) = launcher.wait_for(1)
        agent.told(code=0, says="x" * 500_000)
        ((_, sentence),) = until(placed.ended)
        assert len(sentence) < 400


def test_a_command_that_cannot_be_run_is_named_and_leaves_nothing(tmp_path):
    with Launcher() as launcher:
        works = launcher.bootstrap.command(0, "a")
        with pytest.raises(InputError, match=r"needs the command .*/none, which cannot be run here: No such file"):
            PlacedProcesses({"a": works, "b": [str(tmp_path / "none")]}, launcher.bootstrap.line())


def test_an_agent_that_has_ended_before_it_is_told_is_told_of():
    with PlacedProcesses({"a": ["false"], "b": ["true"]}, Standing("", "", "").line()) as placed:
        until(lambda: len(placed.ended()) == 2)
        assert dict(placed.ended())["a"] == "the agent of host a ended with exit code 1"
