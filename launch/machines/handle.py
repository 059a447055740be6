"""An agent as the launcher sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from launch.machines.facts import MachineFacts
from launch.machines.link.end import LinkEnd
from launch.machines.link.exchange import Exchange
from launch.text.units import ranges


class AgentHandle(LinkEnd):
    """The agent with number `rank`, on the host `name`, which tells `facts` of itself.

    It is asked and told over its link, see `LinkEnd`. `left` is why
    it ended, if it could still say so; `opinion` tells what others know of its end, as a sentence.
    """

    def __init__(self, rank: int, name: str, facts: MachineFacts) -> None:
        super().__init__(Exchange(asked=1))
        self.rank, self.name, self.facts = rank, name, facts
        self.left = ""
        self.opinion: Callable[[], str] = str
        self.on("LEFT", self._has_left)

    @property
    def gone(self) -> bool:
        """Whether nothing can be asked of it any more."""
        return self.lost or bool(self.left)

    def loss(self, cores: Sequence[int] = ()) -> str:
        """The sentence about an agent that is gone, on whose host `cores` ran."""
        where = f" (cores {ranges(cores)})" if len(cores) > 1 else f" (core {cores[0]})" if cores else ""
        seen = time.strftime("%H:%M:%S", time.localtime(self.last_seen))
        why = self.left or self.opinion()
        return f"host {self.name} is lost{where}, last seen at {seen}" + (f": {why}" if why else "")

    def _has_left(self, sentence: str) -> None:
        self.left = sentence
