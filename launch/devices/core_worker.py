"""A worker that holds the crossbars of one core of a device: it makes them, and does what is called, in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emu.arch_file import arch_from_dict
from emu.errors import EmuError
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from launch.devices.board import Board, make_board
from launch.workers.failures import Refusal
from launch.workers.serving import serve


class HostedBoard:
    """The board of one core; nothing of it is known before `open`."""

    def __init__(self) -> None:
        self._board: Board

    def open(self, maker: str, arch: dict[str, Any], core: int) -> None:
        """Make it; raises Refusal if that fails."""
        try:
            self._board = make_board(maker, arch_from_dict(arch, "the chip of the device"), core)
        except EmuError as error:
            raise Refusal(str(error)) from error
        except Exception as error:
            raise Refusal(f"{maker} cannot be made: {type(error).__name__}: {error}") from error

    def run(self, calls: Sequence[Sequence[Any]]) -> list[Any]:
        """What each call returns, up to the first that fails, of which a text says why."""
        made: list[Any] = []
        for name, group, *given in calls:
            try:
                values = [spec_of(given[0])] if name == "acquire" else given
                made.append(getattr(self._board, name)(group, *values))
            except Exception as error:
                made.append(f"{type(error).__name__}: {error}")
                break
        return made


def spec_of(plain: Sequence[Any]) -> GroupSpec:
    """A group as it is sent: three types, row tiles, column tiles, place."""
    input_, weight, output, rows, cols, bank = plain
    return GroupSpec(DType(input_), DType(weight), DType(output), tuple(rows), tuple(cols), bank=bank)


def plain_spec(spec: GroupSpec) -> list[Any]:
    """The same, to be sent."""
    return [int(spec.input), int(spec.weight), int(spec.output), spec.row_tiles, spec.col_tiles, spec.bank]


if __name__ == "__main__":
    hosted = HostedBoard()
    serve({"open": hosted.open, "run": hosted.run})
