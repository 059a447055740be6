"""Code of one core that convolves, unrolled as compilers do it: borders differ, buffers are rings.

A few register writes stand in front of every operation. Padding is set to zero where a window leaves the picture, so
the first and last pixels of a row and the first and last rows differ from the others. Input rows arrive in a ring of
rows and windows are laid out in two buffers in turn, so addresses are not affine from one pixel or row to the next.
"""

from dataclasses import dataclass

import numpy as np

from emu.interop.pim_isa.isa import CODES

FIELDS = ("op", "rd", "rs1", "rs2", "imm", "len", "size", "core", "group", "dst", "src1", "src2")
FIXED = tuple(FIELDS.index(name) for name in FIELDS if name not in ("imm", "dst", "src1", "src2"))


@dataclass(frozen=True)
class Convolution:
    """A layer with a window of 3 x 3 and a padding of 1; sizes in pixels and bytes."""

    height: int
    width: int
    channels: int = 16
    tiles: int = 2  # crossbar groups whose products are summed
    ring: int = 4  # input rows held
    buffers: int = 2  # windows held
    outputs: int = 32
    source: int = 0  # core that sends the input
    target: int = 2

    @property
    def row(self) -> int:
        return self.width * self.channels


class _Code:
    def __init__(self):
        self.rows = []

    def emit(self, op, registers=(), **fields):
        """An operation whose operands are addresses, after the register writes that set them."""
        for register, address in enumerate(registers):
            self._row(op="sldi", rd=register, imm=address)
        absolute = dict(zip(("dst", "src1", "src2"), registers, strict=False))
        self._row(op=op, rd=0, rs1=int(len(registers) > 1), rs2=2 * (len(registers) > 2), **fields, **absolute)

    def _row(self, op, **fields):
        self.rows.append([CODES[op], *(fields.get(name, 0) for name in FIELDS[1:])])


def convolution(layer, local=4096):
    """The code as a matrix int64 [instructions, `FIELDS`]; raw fields and absolute addresses side by side."""
    code = _Code()
    code.emit("setbw")
    window = 9 * layer.channels
    ring, windows = local, local + layer.ring * layer.row
    sums = windows + layer.buffers * window
    lines = sums + layer.tiles * layer.outputs
    for y in range(layer.height):
        for row in range(y + 1 if y else 0, min(y + 2, layer.height)):
            code.emit("recv", (ring + row % layer.ring * layer.row,), core=layer.source, size=layer.row)
        line = lines + y % 2 * layer.width * layer.outputs
        for x in range(layer.width):
            buffer = windows + x % layer.buffers * window
            left, right = max(x - 1, 0), min(x + 2, layer.width)
            if right - left < 3 or y in (0, layer.height - 1):
                code.emit("lldi", (buffer,), len=window)
            for ky in range(max(y - 1, 0), min(y + 2, layer.height)):
                target = buffer + (3 * (ky - y + 1) + left - x + 1) * layer.channels
                source = ring + ky % layer.ring * layer.row + left * layer.channels
                code.emit("lmv", (target, source), len=(right - left) * layer.channels)
            for tile in range(layer.tiles):
                code.emit("mvmul", (sums + tile * layer.outputs, buffer), group=tile)
                if tile:
                    code.emit("vvadd", (sums, sums, sums + tile * layer.outputs), len=layer.outputs)
            code.emit("vrelu", (line + x * layer.outputs, sums), len=layer.outputs)
        code.emit("send", (line,), core=layer.target, size=layer.width * layer.outputs)
    return np.array(code.rows, np.int64)
