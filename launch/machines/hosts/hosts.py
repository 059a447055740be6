"""Agents on the hosts that a user names, from when they are placed until they have ended."""

from __future__ import annotations

import select
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType

from emu.image.reader import Image
from emu.program.program import Program
from launch.machines.agreement import LAUNCHER, agree, own_bits
from launch.machines.content.delivery import HostPart, deliver
from launch.machines.engines.engine import Placed
from launch.machines.engines.table import engine_of
from launch.machines.handle import AgentHandle
from launch.machines.hosts.limits import check_hosts
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.supervision.errors import HostLost

STEP = 0.5  # seconds between two looks at hosts that say nothing


class Hosts:
    """A context manager: inside, there is an agent on each of the hosts that `text` names, as for `--hosts`.

    `gather` and `join` wait until all of them have joined, which may take `join_timeout` seconds. `address` is where
    they reach this machine. Those of other versions are refused unless `any_version`. Runs may follow each other, each
    of which joins and delivers. Raises InputError.
    """

    def __init__(self, text: str, join_timeout: float, any_version: bool = False) -> None:
        self._engine, self._join_timeout, self._any_version = engine_of(text), join_timeout, any_version
        self._stack = ExitStack()
        self.address = ""
        self.products = ""  # the way by which this machine has to multiply, once they have joined
        self.agents: list[AgentHandle] = []
        self.machines: list[RemoteMachine] = []

    def __enter__(self) -> Hosts:
        self.address = self._engine.listen_address()
        with ExitStack() as stack:
            self._listener = listener = AgentListener(self.address, self._any_version)
            ending = stack.enter_context(ExitStack())  # of agents, once they were told to end
            stack.enter_context(listener)
            self._placed = ending.enter_context(self._engine.place(listener.bootstrap))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def gather(self) -> list[AgentHandle]:
        """The agents, by rank, once all have joined."""
        placed = self._placed
        names = dict(enumerate(placed.names))
        if not self.agents:
            self.agents = self._listener.wait_for(len(names), self._join_timeout, placed.ended, names)
        return self.agents

    @property
    def whole(self) -> bool:
        """Whether all agents have joined and none is gone."""
        for agent in self.agents:
            agent.pump()
        return bool(self.agents) and not any(agent.gone for agent in self.agents)

    def join(self) -> list[RemoteMachine]:
        """The machines of one run, by rank, once all have joined; they multiply by ways that have the same bits."""
        agents = self.gather()
        bits = {f"host {agent.name}": agent.facts.bits for agent in agents}
        ways = agree({LAUNCHER: own_bits(), **bits})
        for agent in agents:
            agent.opinion = partial(_end_of, self._placed, agent.name)
        self.products = ways.get(LAUNCHER, "")
        self.machines = [RemoteMachine(agent, ways.get(name, "")) for agent, name in zip(agents, bits, strict=True)]
        return self.machines

    def check(self, programs: Mapping[int, Program], cores: Sequence[Sequence[int]]) -> None:
        """Raise InputError if one of `machines` does not grant the `cores` there what their processes need."""
        check_hosts(self.machines, cores, programs)

    def deliver(self, image: Image, cores: Sequence[Sequence[int]], shared: bool = False) -> None:
        """Give each of `machines` its part of the image, which was verified: what its `cores` need.

        With `shared` all see the same files at the same path. Raises InputError, and HostLost.
        """
        parts = [HostPart(machine.agent, frozenset(own)) for machine, own in zip(self.machines, cores, strict=True)]
        places = deliver(image, parts, self.pump, shared=shared)
        for machine, place in zip(self.machines, places, strict=True):
            machine.image = place

    def pump(self) -> None:
        """Wait until an agent says something, or a short time, and handle it; raises HostLost."""
        poll = select.poll()
        for agent in self.agents:
            poll.register(agent.descriptor, select.POLLIN)
        poll.poll(1000 * STEP)
        for agent in self.agents:
            agent.pump()
            if agent.gone:
                raise HostLost(agent.loss())


def _end_of(placed: Placed, name: str) -> str:
    """What the engine knows of the end of the agent on host `name`; empty if nothing."""
    return dict(placed.ended()).get(name, "")
