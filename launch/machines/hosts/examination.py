"""Asks an agent on each of several hosts what that grants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

from launch.machines.agreement import own_bits
from launch.machines.capacities import HostCapacity, shares_of
from launch.machines.examining import HostExamined, examined
from launch.machines.facts import MachineFacts, differing, versions
from launch.machines.handle import AgentHandle
from launch.machines.hosts.hosts import Hosts
from launch.machines.link.talks import talk_to_all
from launch.system.doctor import BYTES_PER_CORE, FAIL, DoctorCheck

ANSWER = 60.0  # seconds for the checks of a host, which may be busy


def examine_hosts(text: str, join_timeout: float, cores: int) -> list[HostExamined]:
    """What the hosts that `text` names, as for `--hosts`, grant a run of `cores` cores: shared out as in a run.

    Raises InputError if an agent cannot be placed or does not join, HostLost if a host is lost.
    """
    own = MachineFacts(versions=versions(), bits=own_bits())
    with Hosts(text, join_timeout, any_version=True) as hosts:
        agents = hosts.gather()
        parts = Counter[str]()  # by address: several agents may share a machine
        known = [HostExamined(agent.name, agent.facts, ()) for agent in agents]
        capacities = [
            HostCapacity(host.name, host.facts.cpus or 1, memory=host.facts.memory, machine=host.facts.address)
            for host in known
        ]
        for agent, part in zip(agents, shares_of([BYTES_PER_CORE] * cores, capacities).tolist(), strict=True):
            parts[agent.facts.address] += part
        alike = [not differing(own.versions, host.facts.versions) for host in known]  # and say what is understood here
        checks = _asked(hosts, {agent: parts[agent.facts.address] for agent in compress(agents, alike)}, cores)
    return examined(own, [replace(host, checks=checks.get(host.name, ())) for host in known])


class _Examination:
    """A talk about what an agent finds on its host, for `part` of the `cores` of a chip."""

    kinds = ("EXAMINED",)

    def __init__(self, agent: AgentHandle, part: int, cores: int) -> None:
        self.host, self.checks = agent.name, list[DoctorCheck]()
        self._ask = partial(agent.send, "EXAMINE", cores=max(part, 1), run=cores)

    def start(self) -> None:
        """Ask."""
        self._ask()

    def take(self, kind: str, /, **values: Any) -> None:
        """Take the answer."""
        self.checks = [DoctorCheck(**check) for check in values["checks"]]

    @property
    def done(self) -> bool:
        """Whether it has answered."""
        return bool(self.checks)


def _asked(hosts: Hosts, agents: Mapping[AgentHandle, int], cores: int) -> Mapping[str, Sequence[DoctorCheck]]:
    """What agents find on their hosts, each for so many cores; all look at once."""
    talks = [(agent, _Examination(agent, part, cores)) for agent, part in agents.items()]
    talk_to_all(talks, hosts.pump, ANSWER)
    silent = DoctorCheck(
        "checks", FAIL, f"no answer within {ANSWER:g} s", "look at its load, and at its version of emu"
    )
    return {talk.host: talk.checks or [silent] for _, talk in talks}
