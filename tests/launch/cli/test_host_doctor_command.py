"""`emu doctor --hosts` with real agents on this machine."""

import json

import pytest
from commands import Emu

from launch.machines import agreement, facts
from launch.machines.hosts import examination


def test_agents_tell_what_their_hosts_grant(emu: Emu) -> None:
    done = emu("doctor", "--hosts", "local:2", "--cores", "3")
    assert done.exit_code == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()[2:]] == ["local-0", "local-1", "ready"]
    assert done.stdout.endswith("ready for 3 core processes on 2 hosts\n")


def test_several_agents_on_one_host_share_it(emu: Emu) -> None:
    done = emu("doctor", "--hosts", "local:2", "--cores", "1000000", "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["ready"], len(found["hosts"])) == (2, False, 2)
    for host in found["hosts"]:
        (memory,) = (check for check in host["checks"] if check["name"] == "memory")
        assert memory["status"] == "fail" and "for 1000000 idle cores" in memory["found"]


class StandInAgent:
    """A handle of an agent that never answers."""

    name, other = "h1", "host h1"

    def __init__(self, version: str) -> None:
        own = facts.versions()
        self.facts = facts.MachineFacts(
            "10.0.0.1", versions={**own, "numpy": version or own["numpy"]}, bits=agreement.own_bits()
        )
        self.sent: list[str] = []

    def on(self, *_: object) -> None:
        pass

    def send(self, kind: str, **_: object) -> None:
        self.sent.append(kind)


class StandInHosts:
    def __init__(self, agent: StandInAgent) -> None:
        self.agent = agent

    def __call__(self, *_: object, any_version: bool) -> "StandInHosts":
        assert any_version
        return self

    def __enter__(self) -> "StandInHosts":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def gather(self) -> list[StandInAgent]:
        return [self.agent]

    def pump(self) -> None:
        pass


def test_another_version_is_named_and_not_asked_more(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = StandInAgent("1.0")
    monkeypatch.setattr(examination, "Hosts", StandInHosts(agent))
    done = emu("doctor", "--hosts", "h1", "--json")
    (host,) = json.loads(done.stdout)["hosts"]
    assert done.exit_code == 2 and agent.sent == []
    assert [(check["name"], check["status"]) for check in host["checks"]] == [("versions", "fail")]
    assert host["checks"][0]["found"] == f"has numpy 1.0 and the launcher {facts.versions()['numpy']}"


def test_an_agent_that_does_not_answer(emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "ANSWER", 0.01)
    monkeypatch.setattr(examination, "Hosts", StandInHosts(StandInAgent("")))
    done = emu("doctor", "--hosts", "h1")
    assert done.exit_code == 2
    assert "host h1: checks: no answer within 0.01 s: look at its load" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--hosts", "nothing:5"], "--hosts 'nothing:5' names no engine: use local:N"),
        (["--hosts", "local:0"], "--hosts local:0 is not local:N with N from 1 to"),
        (["--hosts", "local:1", "--clean"], "--hosts has no effect with --clean: leave it out"),
        (["--hosts", "local:1", "."], "DIR has no effect with the check of hosts: leave it out"),
        (["--join-timeout", "3"], "--join-timeout has no effect with the check of this machine"),
    ],
)
def test_what_means_nothing_is_refused(emu: Emu, words: list[str], sentence: str) -> None:
    done = emu("doctor", *words)
    assert done.exit_code == 2 and sentence in done.stderr
