"""The interface of an engine: it starts one agent on each of some hosts, and ends them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Protocol

from launch.machines.bootstrap import Bootstrap


class Placed(ABC):
    """Agents that an engine has started; a context manager that ends them, if they have not ended."""

    names: Sequence[str]  # of the hosts, by rank of their agents

    @abstractmethod
    def ended(self) -> list[tuple[str, str]]:
        """The agents that have ended by now: names of their hosts, and a sentence that tells how, first ones first.

        A second opinion: no engine notices a link that is cut in time, so that the launcher never waits for it. It
        never blocks.
        """

    @abstractmethod
    def close(self) -> None:
        """End all agents that have not ended; those that were told to by their link have some seconds to do so.

        May be called twice. Nobody waits for a host that cannot be reached: its agent ends as it misses the launcher.
        """

    def __enter__(self) -> Placed:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Engine(Protocol):
    """What `--hosts` names: where agents are to be, and who starts them there."""

    form: ClassVar[str]  # how it is written, and what it stands for: for the sentence about what is none

    @classmethod
    def parse(cls, rest: str) -> Engine:
        """The engine of what follows NAME: in `--hosts NAME:REST` (nothing: empty text).

        Cheap: it reads text and the environment. Raises InputError.
        """
        ...

    @property
    def count(self) -> int | None:
        """How many agents it will start; None if only `place` finds out."""
        ...

    def listen_address(self) -> str:
        """The IP address of this host at which its agents reach the launcher. Raises InputError."""
        ...

    def place(self, bootstrap: Bootstrap) -> Placed:
        """Start an agent on every host, and wait for none; they come by themselves, or `ended` says why not.

        Raises InputError if the engine cannot be had here; then nothing is left.
        """
        ...
