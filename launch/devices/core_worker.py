"""A worker that holds the crossbars of one core of a device, and makes the calls in order."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from emu.arch.read import arch_from_dict
from emu.errors import EmuError
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from launch.devices.board import Board, make_board
from launch.devices.failures import said_by
from launch.workers.failures import WorkerRefusal
from launch.workers.serving import serve

MADE, ODD, FAILED = "made", "odd", "failed"  # what came of a call: its value, the type of one that is none, or why


class HostedBoard:
    """The board of one core, which `open` makes."""

    def __init__(self) -> None:
        self._board: Board
        self._patience = math.inf
        self._left = deque[Sequence[Any]]()

    def open(self, maker: str, arch: dict[str, Any], core: int, patience: float | None) -> None:
        """Make it; raises WorkerRefusal if that fails."""
        self._patience = math.inf if patience is None else patience
        try:
            self._board = make_board(maker, arch_from_dict(arch, "the chip of the device"), core)
        except EmuError as error:
            raise WorkerRefusal(str(error)) from error

    def run(self, calls: Sequence[Sequence[Any]]) -> list[tuple[str, Any]]:
        """Take further calls; the outcome of each of those that are left, up to the first that fails.

        After `patience` seconds it answers with what there is, and the next call of this goes on: many calls in a row
        are not to look like one that takes too long.
        """
        self._left.extend(calls)
        made, began = list[tuple[str, Any]](), time.monotonic()
        while self._left and (not made or time.monotonic() - began < self._patience):
            made.append(self._make(*self._left.popleft()))
            if made[-1][0] == FAILED:
                self._left.clear()
        return made

    def _make(self, name: str, group: int, *given: Any) -> tuple[str, Any]:
        try:
            values = [spec_of(given[0])] if name == "acquire" else given
            value = getattr(self._board, name)(group, *values)
        except Exception as error:
            return FAILED, said_by(error)
        if name != "multiply":
            return MADE, None
        # Whatever a board returns can be told, if not sent.
        sendable = isinstance(value, np.ndarray) and value.dtype.kind in "biufc"
        return (MADE, value) if sendable else (ODD, type(value).__name__)


def spec_of(plain: Sequence[Any]) -> GroupSpec:
    """A group as it is sent: three types, row tiles, column tiles, place."""
    input_, weight, output, rows, cols, bank = plain
    return GroupSpec(DType(input_), DType(weight), DType(output), tuple(rows), tuple(cols), bank=bank)


def plain_spec(spec: GroupSpec) -> list[Any]:
    """A group as plain values, to be sent."""
    return [int(spec.input), int(spec.weight), int(spec.output), spec.row_tiles, spec.col_tiles, spec.bank]


if __name__ == "__main__":
    hosted = HostedBoard()
    serve({"open": hosted.open, "run": hosted.run})
