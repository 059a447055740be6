"""What a run needs of the machine that its core processes are on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from emu.noc.watch.board import Board
from launch.processes.orders import Orders, ProcessReport
from launch.processes.status import Status


class Machine(Protocol):
    """Starts, observes and stops the memory node and the cores of one run; how it does so is its own matter."""

    def start(self, orders: Orders) -> None:
        """Start the memory node, which is reported as BOUND, and then all cores."""
        ...

    def reports(self) -> list[ProcessReport]:
        """What has been said since the last call; never waits.

        Once the machine cannot start or observe cores any more, every call ends with an EXIT of ZYGOTE.
        """
        ...

    @property
    def sources(self) -> Sequence[int]:
        """Descriptors of which one is readable when there are `reports`."""
        ...

    @property
    def board(self) -> Board:
        """What the cores say of themselves, from the start on; other machines do not see it."""
        ...

    @property
    def status(self) -> Status:
        """What its processes are doing, from the start on."""
        ...

    def close(self) -> None:
        """End all that was started and remove what is left of it; may be called twice."""
        ...
