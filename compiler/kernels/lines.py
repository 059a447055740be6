"""What kernels share that work along the lines of tiles [outer][entries][inner], outer row by outer row."""

from __future__ import annotations

from abc import ABC
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from xdsl.utils.exceptions import VerifyException

from compiler.dialects.kernel import Shape
from compiler.emission.emitter import Emitter
from compiler.emission.strip import Strip, blocks
from compiler.kernels.kernel import Kernel
from compiler.kernels.row_map import RowMap
from emu.isa.address import Address
from emu.isa.dtypes import ALL, DType


class LineKernel(Kernel, ABC):
    """A kernel on lines: element e of a line of a tile stands `inner` elements behind element e - 1."""

    DTYPES: ClassVar[frozenset[DType]] = ALL

    def verify_elements(self) -> None:
        """Each kind of kernel says what its types are."""

    def row_maps(self) -> list[RowMap]:
        """Row y needs row y of what has as many rows as the output, and the only one of what has one."""
        rows = self.output_shapes[0][0]
        return [RowMap(shape[0], scale=int(shape[0] == rows)) for shape in self.input_shapes]


def verify_three(*shapes: Shape) -> None:
    """Raise VerifyException unless all tiles have three sizes."""
    if any(len(shape) != 3 for shape in shapes):
        raise VerifyException("works on tiles [outer][entries][inner]")


@contextmanager
def lines(emitter: Emitter, rows: int, inner: int) -> Generator[tuple[int, int]]:
    """Loops over rows and over the lines of a row; yields their numbers, -1 where there is one."""
    with emitter.rows(rows) as y, emitter.rows(inner) as c:
        yield y, c


def line(strip: Strip, y: int, c: int, row: int) -> Address:
    """A line of a tile: its first element, and the step to the next."""
    step = strip.row if strip.rows.total > 1 else 0
    first = row if strip.rows.total > 1 else 0
    return strip.at((y, step), (c, strip.word), row=first, stride=strip.channels)


def row_blocks(out: Strip, inputs: Sequence[Strip]) -> list[tuple[int, int]]:
    """The ranges of rows in which no tile wraps."""
    return list(blocks(out.height, [(out, 0, 1), *((strip, 0, 1) for strip in inputs if strip.rows.total > 1)]))
