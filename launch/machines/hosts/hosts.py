"""Agents on the hosts that a user names, from when they are placed until they have ended."""

from __future__ import annotations

import select
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from types import TracebackType

from emu.image.reader import Image
from launch.machines.agreement import agree, own_bits
from launch.machines.content.delivery import HostPart, deliver
from launch.machines.engines.engine import Placed
from launch.machines.engines.table import engine_of
from launch.machines.listening import AgentListener
from launch.machines.remote import RemoteMachine
from launch.supervision.errors import HostLost

LAUNCHER = "the launcher"
STEP = 0.5  # seconds between two looks at hosts that say nothing


class Hosts:
    """A context manager: inside, there is an agent on each of the hosts that `text` names, as for `--hosts`.

    `join` waits until all of them have joined, which may take `join_timeout` seconds. `address` is where they reach
    this machine. Raises InputError.
    """

    def __init__(self, text: str, join_timeout: float) -> None:
        self._engine, self._join_timeout = engine_of(text), join_timeout
        self._stack = ExitStack()
        self.address = ""
        self.products = ""  # the way by which this machine has to multiply, once they have joined
        self.machines: list[RemoteMachine] = []

    def __enter__(self) -> Hosts:
        self.address = self._engine.listen_address()
        with ExitStack() as stack:
            self._listener = listener = AgentListener(self.address)
            ending = stack.enter_context(ExitStack())  # of agents, once they were told to end
            stack.enter_context(listener)
            self._placed = ending.enter_context(self._engine.place(listener.bootstrap))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def join(self) -> list[RemoteMachine]:
        """The machines of one run, by rank, once all have joined; they multiply by ways that have the same bits."""
        placed = self._placed
        names = dict(enumerate(placed.names))
        agents = self._listener.wait_for(len(names), self._join_timeout, placed.ended, names)
        told = {f"host {agent.name}": agent.facts["bits"] for agent in agents}
        ways = agree({LAUNCHER: own_bits(), **told})
        for agent in agents:
            agent.opinion = partial(_end_of, placed, agent.name)
        self.products = ways.get(LAUNCHER, "")
        self.machines = [RemoteMachine(agent, ways.get(name, "")) for agent, name in zip(agents, told, strict=True)]
        return self.machines

    def deliver(self, image: Image, cores: Sequence[Sequence[int]], shared: bool = False) -> None:
        """Give each of `machines` its part of the image, which was verified: what its `cores` need.

        With `shared` all see the same files at the same path. Raises InputError, and HostLost.
        """
        parts = [HostPart(machine.agent, frozenset(own)) for machine, own in zip(self.machines, cores, strict=True)]
        for machine, place in zip(self.machines, deliver(image, parts, self._pump, shared=shared), strict=True):
            machine.image = place

    def _pump(self) -> None:
        """Wait until an agent says something, and handle it."""
        poll = select.poll()
        for machine in self.machines:
            poll.register(machine.agent.descriptor, select.POLLIN)
        poll.poll(1000 * STEP)
        for machine in self.machines:
            machine.agent.pump()
            if machine.agent.gone:
                raise HostLost(machine.agent.loss())


def _end_of(placed: Placed, name: str) -> str:
    """What the engine knows of the end of the agent on host `name`; empty if nothing."""
    return dict(placed.ended()).get(name, "")
