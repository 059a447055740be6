"""Talks with several agents at once: each is asked something, and says more or less until it has answered."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol


class AgentLink(Protocol):
    """What the launcher has of an agent: its host, and a link to it."""

    @property
    def name(self) -> str:
        """The name of the host."""
        ...

    def send(self, kind: str, **values: Any) -> None:
        """Send a message; it arrives once, behind those before it."""
        ...

    def on(self, kind: str, handler: Callable[..., None]) -> None:
        """Have the values of messages of that kind given to `handler`, by name."""
        ...


class Talk(Protocol):
    """A talk with one agent."""

    @property
    def kinds(self) -> Sequence[str]:
        """The kinds of messages that it takes."""
        ...

    def start(self) -> None:
        """Ask."""
        ...

    def take(self, kind: str, /, **values: Any) -> None:
        """Take a message of one of `kinds`, whose values may be any; raises EmuError."""
        ...

    @property
    def done(self) -> bool:
        """Whether there is an answer."""
        ...


def talk_to_all(talks: Sequence[tuple[AgentLink, Talk]], pump: Callable[[], None], seconds: float = math.inf) -> None:
    """Hold all these talks, until all have an answer or so many seconds are over.

    `pump` waits until something comes, gives it to its handlers, and raises EmuErrors for hosts that are lost.
    """
    for agent, talk in talks:
        for kind in talk.kinds:
            agent.on(kind, partial(talk.take, kind))
    for _, talk in talks:
        talk.start()
    end = time.monotonic() + seconds
    while not all(talk.done for _, talk in talks) and time.monotonic() < end:
        pump()
