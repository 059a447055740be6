import numpy as np
import pytest
from images import write_relay
from ssh_host import ssh_host
from standing_agents import Launcher, until

from emu.errors import InputError
from launch import power_on
from launch.machines.engines.ssh import Ssh

STAND_IN = """#!/bin/sh
[ "$1" = -G ] && { echo "hostname 127.0.0.1"; exit; }
for word; do host=$last; last=$word; done
[ "$host" = nowhere ] && { echo "ssh: connect to host nowhere port 22: Connection refused" >&2; exit 255; }
case "$*" in *BatchMode=yes*) exec /bin/sh -c "$last";; esac
"""


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """A command `ssh` that takes every host but one for this one."""
    (tmp_path / "ssh").write_text(STAND_IN)
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")


@pytest.fixture
def daemon(tmp_path, monkeypatch):
    with ssh_host(tmp_path, "h0 h1") as commands:
        monkeypatch.setenv("PATH", str(commands), prepend=":")
        yield


def place_end_and_kill():
    engine = Ssh(["h0", "h1"])
    assert engine.count == 2 and engine.listen_address() == "127.0.0.1"
    with Launcher() as launcher, engine.place(launcher.bootstrap) as placed:
        agents = launcher.wait_for(2)
        assert [agent.said["words"]["--name"] for agent in agents] == ["h0", "h1"] == placed.names
        assert {agent.said["secret"] for agent in agents} == {launcher.bootstrap.secret}
        agents[1].told(code=3, says="error: enough")
        assert until(placed.ended) == [("h1", "the agent of host h1 ended with exit code 3: enough")]
        agents[0].kill()
        until(lambda: len(placed.ended()) == 2)


def test_agents_over_a_command_that_stands_for_ssh(ssh):
    place_end_and_kill()


def test_agents_over_a_real_daemon(daemon):
    place_end_and_kill()


def test_cores_run_on_hosts_of_a_real_daemon(daemon, tmp_path, emu_zygotes):
    sample = np.arange(100, dtype=np.uint8)[None]
    with power_on(write_relay(tmp_path / "relay"), hosts="h0,h1", zygotes=emu_zygotes) as chip:
        assert {"core 0 on host h0", "core 1 on host h1"} <= set(chip.processes)
        assert np.array_equal(chip.run({"x": sample})["y"], sample)


def test_a_host_that_cannot_be_reached_is_told_of_in_the_words_of_ssh(ssh):
    with Launcher() as launcher, Ssh(["h0", "nowhere"]).place(launcher.bootstrap) as placed:
        (agent,) = launcher.wait_for(1)
        ((name, sentence),) = until(placed.ended)
        assert name == "nowhere"
        said = "ssh: connect to host nowhere port 22: Connection refused"
        assert sentence == f"the agent of host nowhere ended with exit code 255: {said}"
        agent.told(code=0)


def test_another_interpreter_is_taken_where_this_one_is_not(ssh, monkeypatch):
    with Launcher() as launcher:
        command = launcher.bootstrap.command
        elsewhere = lambda self, rank, name: command(rank, name, "/not/there/python")  # noqa: E731
        monkeypatch.setattr(type(launcher.bootstrap), "command", elsewhere)
        with Ssh(["h0"]).place(launcher.bootstrap) as placed:
            (agent,) = launcher.wait_for(1)
            assert agent.said["python"] != "/not/there/python"
            agent.told(code=0)
            until(placed.ended)


def test_without_ssh_it_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with Launcher() as launcher:
        with pytest.raises(InputError, match="hosts needs the command ssh, which cannot be run here: No such file"):
            Ssh(["h0"]).place(launcher.bootstrap)
        with pytest.raises(InputError, match="hosts h0 needs the command ssh, which cannot be run here: No such file"):
            Ssh(["h0"]).listen_address()
