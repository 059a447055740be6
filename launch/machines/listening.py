"""The launcher's side of all links: listens, lets in the agents that it has started, and refuses all others."""

from __future__ import annotations

import hmac
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from emu.errors import InputError, option
from emu.noc.wire.bind_address import LOOPBACK
from emu.noc.wire.transports import TRANSPORTS, first_transport
from emu.wording import counted, visible
from launch.machines.bootstrap import Bootstrap
from launch.machines.facts import differing, facts_from, versions
from launch.machines.handle import AgentHandle
from launch.machines.link.exchange import Exchange
from launch.machines.link.loop import LinkLoop
from launch.machines.link.messages import LARGEST, Message, decode_frame
from launch.supervision.errors import HostLost
from launch.text.units import ranges

LOST = 3.0  # seconds of silence after which a host is lost
LOOK = 0.2  # seconds between two looks at agents that may have ended before they joined
LONGEST_NAME = 64  # characters of the name of a host
Ended = Callable[[], Sequence[tuple[str, str]]]  # agents that have ended: their name, and a sentence


class AgentListener:
    """A context manager: inside, agents that know `bootstrap` can join at `address`, an IP address of this machine.

    At the end all agents are told to end. With `any_version` those of other versions are let in, too: their facts tell.
    """

    def __init__(self, address: str = LOOPBACK, any_version: bool = False) -> None:
        row = TRANSPORTS[first_transport(network=True)]
        library = row.library()
        keys = row.library.fresh_keys()
        try:
            socket, door = library.listen(row.endpoint(Path(), "", address), row.network, LARGEST, keys)
        except OSError as error:
            raise InputError(f"no launcher can listen at {address}: {error}; give an address of this machine") from None
        self.bootstrap = Bootstrap.fresh(door.endpoint, keys[0].decode())
        self._loop = LinkLoop(library, socket, LOST, door, self._greet)
        self._versions = {} if any_version else versions()
        self._agents: list[AgentHandle] = []  # in the order in which they have joined
        self._refused: list[tuple[bool, str]] = []  # whether it knew the secret; the sentence
        self._news = threading.Event()  # somebody has joined, or was refused

    def __enter__(self) -> AgentListener:
        self._loop.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for agent in self._agents:
            agent.send("END")
        self._loop.close()
        for agent in self._agents:
            agent.close()

    def wait_for(
        self, count: int, timeout: float, ended: Ended = lambda: (), names: Mapping[int, str] | None = None
    ) -> list[AgentHandle]:
        """The agents 0 to `count` - 1, by rank, once all have joined, which may take `timeout` seconds.

        `ended` tells of agents that have ended, and why; `names` are what ranks are called until they have joined.
        Raises InputError if one is refused, has ended or is missing, with its name, and HostLost.
        """
        until = time.monotonic() + timeout
        while True:
            for own, sentence in self._refused:
                if own:
                    raise InputError(sentence)
            joined = {agent.rank: agent for agent in self._agents}
            if too_high := [rank for rank in joined if rank >= count]:
                raise InputError(f"agent {min(too_high)} has joined, and there should be {counted(count, 'agent')}")
            if len(joined) == count:
                break
            for agent in joined.values():
                agent.pump()
                if agent.gone:
                    raise HostLost(agent.loss())
            over = time.monotonic() > until
            known = {(names or {}).get(rank, agent.name) for rank, agent in joined.items()}
            for sentence in (sentence for name, sentence in ended() if name not in known):
                raise InputError(f"{sentence}; it had not joined")
            if over:
                raise InputError(self._missing([rank for rank in range(count) if rank not in joined], timeout, names))
            self._news.wait(min(LOOK, max(0.0, until - time.monotonic())))
            self._news.clear()
        agents = [joined[rank] for rank in range(count)]
        named = Counter(agent.name for agent in agents)
        for agent in agents:
            if named[agent.name] > 1:
                agent.name = f"{agent.name}-{agent.rank}"  # several agents on one machine
        return agents

    def _missing(self, ranks: Sequence[int], timeout: float, names: Mapping[int, str] | None) -> str:
        who = ", ".join(names.get(rank, f"agent {rank}") for rank in ranks) if names else _agents(ranks)
        strangers = [sentence for own, sentence in self._refused if not own]
        return (
            f"{who} {'has' if len(ranks) == 1 else 'have'} not joined within {timeout:g} s: check that the host can "
            f"reach {self.bootstrap.address}, or raise {option('join_timeout')}"
            + (f"; refused: {strangers[0]}" if strangers else "")
        )

    def _greet(self, name: bytes, frame: memoryview) -> tuple[AgentHandle | None, bytes]:
        """In the thread of the loop: the agent that a first frame is of, or how it is refused."""
        message = decode_frame(frame)
        if not isinstance(message, Message):  # what came before it is lost
            return None, Exchange(asked=1).beat()
        if message.kind != "HELLO":
            return None, _refusal("this launcher does not know the agent: it was lost, or belongs to another one")
        values = message.values
        secret, rank, called = values.get("secret"), values.get("rank"), values.get("name")
        if not isinstance(secret, str) or not hmac.compare_digest(secret.encode(), self.bootstrap.secret.encode()):
            return self._refuse("an agent has another secret than this launcher's", own=False)
        if (
            type(rank) is not int
            or rank < 0
            or not isinstance(called, str)
            or not isinstance(values.get("facts"), dict)
        ):
            return self._refuse("an agent says what no agent of this version says", own=True)
        agent = AgentHandle(rank, visible(called)[:LONGEST_NAME], facts_from(values["facts"]))
        if reason := self._unfit(agent):
            agent.close()
            return self._refuse(f"host {agent.name} {reason}", own=True)
        agent.send("WELCOME")
        self._agents.append(agent)
        self._news.set()
        return agent, b""

    def _unfit(self, agent: AgentHandle) -> str:
        """Why `agent` cannot take part; empty if it can."""
        if reason := differing(self._versions, agent.facts.versions):
            return f"{reason}: install the same on both"
        if any(agent.rank == other.rank for other in self._agents):
            return f"has an agent {agent.rank}, and there is one already: give each another {option('rank')}"
        return ""

    def _refuse(self, sentence: str, own: bool) -> tuple[None, bytes]:
        self._refused.append((own, sentence))
        self._news.set()
        return None, _refusal(sentence)


def _refusal(sentence: str) -> bytes:
    return Exchange().say("UNWELCOME", {"sentence": sentence})


def _agents(ranks: Sequence[int]) -> str:
    return f"agent{'s' if len(ranks) > 1 else ''} {ranges(ranks)}"
