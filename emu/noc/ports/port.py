"""The interface between a core's requests and whatever carries them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from emu.core.request import Request
from emu.errors import InputError, option
from emu.wording import counted


@dataclass(frozen=True, slots=True)
class FlowControl:
    """Flow control per ordered pair: `credits` 0 is rendezvous, K lets K messages wait.

    This is the rule: ports, checks, clocks and the critical path ask it when a send may end, and what a receive takes.
    """

    credits: int = 0

    @classmethod
    def parse(cls, text: str) -> FlowControl:
        """`rendezvous` or `credits:K` with K >= 1; raises InputError otherwise."""
        if text == "rendezvous":
            return cls(0)
        kind, _, count = text.partition(":")
        if kind == "credits" and count.isdecimal() and 0 < int(count) < 1 << 31:
            return cls(int(count))
        raise InputError(f"{option('flow')} {text!r} is unknown: use 'rendezvous' or 'credits:K' with K >= 1")

    def __str__(self) -> str:
        return f"credits:{self.credits}" if self.credits else "rendezvous"

    @property
    def lends(self) -> bool:
        """Whether a send gives its memory away at once, unchanged until it ends; if not, a copy, when it can end."""
        return not self.credits

    def need(self, index: int) -> int:
        """How many messages of the pair must have been taken for the send of message `index` to end."""
        return index + 1 - self.credits

    def freed_by(self, index: int) -> int | None:
        """The message of the pair whose receipt lets the send of message `index` end; None: no receipt is needed."""
        need = self.need(index)
        return need - 1 if need > 0 else None

    def fits(self, sent_sample: int, sent: int, sample: int, expected: int) -> bool:
        """Whether the next message of a pair, `sent` bytes, is what a receive of `expected` bytes in `sample` takes.

        Messages belong to samples. False: nothing will ever come for this receive, because the sender is in a later
        sample already, or (rendezvous) stays for ever at a message of an earlier one. Raises PortFault if the
        receiving core must trap: of another size, or left behind by an earlier sample. Under rendezvous the sender,
        which still waits, traps with it.
        """
        if sent_sample > sample or (sent_sample < sample and not self.credits):
            return False
        if sent_sample < sample:
            raise SampleMismatch(sent_sample, sample)
        if sent != expected:
            raise SizeMismatch(sent, expected)
        return True


UNBOUNDED = FlowControl(1 << 62)  # credits that never run out


class PortFault(Exception):
    """The network refuses a request: the core traps with this reason, value and limit."""

    def __init__(self, reason: str, value: int | None = None, limit: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.value, self.limit = reason, value, limit
        self.peer = -1  # the core at the other end, if it traps as well


class DamagedMessage(Exception):
    """A message that no core of the run can have sent as it came: lost, doubled or changed on its way."""


class SizeMismatch(PortFault):
    """Sender and receiver disagree on the size of a message: the receiver traps, under rendezvous the sender, too."""

    def __init__(self, sent: int, expected: int) -> None:
        sizes = counted(sent, "byte"), counted(expected, "byte")
        super().__init__(f"message of {sizes[0]} meets a receive of {sizes[1]}", sent, expected)
        self.sent, self.expected = sent, expected


class SampleMismatch(PortFault):
    """A message that an earlier sample left behind meets a receive: the counts of sends and receives differ."""

    def __init__(self, sent: int, expected: int) -> None:
        super().__init__(f"message of sample {sent} meets a receive of sample {expected}", sent, expected)


class Port(ABC):
    """One core's end of the network. `sample` numbers global memory and message headers (INIT_SAMPLE: `init`)."""

    @abstractmethod
    def attach(self, events: int) -> None:
        """The core has so many event registers."""

    @abstractmethod
    def begin(self, sample: int) -> None:
        """Block until `sample` may begin."""

    @abstractmethod
    def end(self, sample: int) -> None:
        """The core has finished `sample`."""

    @abstractmethod
    def start(self, request: Request, sample: int) -> bool:
        """Begin the request; True if it is complete at once; raises PortFault."""

    @abstractmethod
    def poll(self) -> bool:
        """Whether the request begun last is complete now; raises PortFault."""

    @abstractmethod
    def wait(self) -> None:
        """Block until the request begun last is complete; raises PortFault."""
