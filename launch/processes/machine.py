"""The interface of a machine on which the processes of a run are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from emu.noc.watch.board import Board
from launch.processes.orders import Orders, ProcessReport
from launch.processes.status import Status


class Machine(Protocol):
    """Starts, observes and stops the memory node and the cores of one run."""

    def start(self, orders: Orders) -> None:
        """Start the memory node, which is reported as BOUND, and then all cores."""
        ...

    def reports(self) -> list[ProcessReport]:
        """New reports since the last call; never blocks.

        Once the machine cannot start or observe cores any more, every call ends with an EXIT of ZYGOTE.
        """
        ...

    @property
    def sources(self) -> Sequence[int]:
        """Descriptors, one of which is readable when there are `reports`."""
        ...

    @property
    def board(self) -> Board:
        """The status board of the cores, from the start on; other machines do not see it."""
        ...

    @property
    def status(self) -> Status:
        """The states of its processes, from the start on."""
        ...

    def close(self) -> None:
        """End all processes and remove their files; may be called twice."""
        ...
