"""The payload of a message, written and verified by the machine's own instructions.

A message is [number, checksum, data...] in int32 words: its number in the total order, the sum of its data, and
data[k] = template[k] + number, all of them wrapping. The template is made by every core at power-on. The receiver
computes the whole message again, compares word by word, and counts the words that differ.
"""

from __future__ import annotations

import numpy as np

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.stress.sizes import WORD

HEADER = 2  # words: number and checksum
ERRORS, CHECKSUM, NUMBER, COUNT = 0, 4, 8, 12  # local addresses; the first three are what a core reports
STATUS_BYTES = 12
BUFFERS = 64  # local address of the first buffer
FIRST_BYTE = 0x2B  # of template[0], four times
_I32 = DType.i32


class Payload:
    """Emits the code that sends and receives messages of at most `largest` bytes."""

    def __init__(self, largest: int) -> None:
        self.words = largest // WORD
        self._template, self._out, self._in, self._again, self._ints = (BUFFERS + k * largest for k in range(5))
        self._mask = BUFFERS + 5 * largest

    def prepare(self, builder: SectionBuilder) -> None:
        """At power-on: the template, by doubling."""
        builder.emit("lldi", (), [Address(self._template)], byte=FIRST_BYTE, size=WORD)
        for level, (done, more) in enumerate(_doublings(self.words)):
            target = Address(self._template + WORD * done)
            builder.emit("vsadd", [_I32], [target, Address(self._template)], n=more, imm=_increment(level))

    def begin(self, builder: SectionBuilder, start: int) -> None:
        """At the begin of a sample: no errors, and the number of the first message from global address `start`."""
        builder.emit("lldi", (), [Address(ERRORS)], byte=0, size=STATUS_BYTES)
        builder.emit("ld", (), [Address(NUMBER), Address(start)], size=WORD)

    def send(self, builder: SectionBuilder, peer: int, index: int, size: int) -> None:
        """Make and send the message whose number is `index` beyond the count."""
        self._make(builder, self._out, index, size)
        checksum, data, count = self._out + WORD, self._out + WORD * HEADER, size // WORD - HEADER
        builder.emit("vsum", [_I32], [Address(checksum), Address(data)], n=count)
        builder.emit("send", (), [Address(self._out)], core=peer, size=size)

    def receive(self, builder: SectionBuilder, peer: int, index: int, size: int) -> None:
        """Receive the message whose number is `index` beyond the count, and compare it with what it must be."""
        words = size // WORD
        checksum, data = Address(self._again + WORD), Address(self._in + WORD * HEADER)
        again, mask, ints = Address(self._again), Address(self._mask), Address(self._ints)
        builder.emit("recv", (), [Address(self._in)], core=peer, size=size)
        self._make(builder, self._again, index, size)
        builder.emit("vsum", [_I32], [checksum, data], n=words - HEADER)  # of what came, not of what should have
        builder.emit("vvne", [_I32], [mask, Address(self._in), again], n=words)
        builder.emit("vcvt", [DType.bool, _I32], [ints, mask], n=words)
        builder.emit("vsum", [_I32], [Address(COUNT), ints], n=words)
        builder.emit("vvadd", [_I32], [Address(ERRORS), Address(ERRORS), Address(COUNT)], n=1)
        builder.emit("vvadd", [_I32], [Address(CHECKSUM), Address(CHECKSUM), checksum], n=1)

    def count(self, builder: SectionBuilder, messages: int) -> None:
        """`messages` messages of the total order are behind us."""
        builder.emit("vsadd", [_I32], [Address(NUMBER), Address(NUMBER)], n=1, imm=messages)

    def _make(self, builder: SectionBuilder, at: int, index: int, size: int) -> None:
        """Number and data of a message."""
        builder.emit("vsadd", [_I32], [Address(at), Address(NUMBER)], n=1, imm=index)
        operands = [Address(at + WORD * HEADER), Address(self._template), Address(at, stride=0)]
        builder.emit("vvadd", [_I32], operands, n=size // WORD - HEADER)


def memory_needed(largest: int) -> int:
    """Bytes of local memory that messages of at most `largest` bytes need."""
    return BUFFERS + 5 * largest + largest // WORD


def template(words: int) -> np.ndarray:
    """The template that `Payload.prepare` makes: int32 [words]."""
    powers = np.full(words, FIRST_BYTE * 0x01010101, np.uint32)
    for level, (done, more) in enumerate(_doublings(words)):
        powers[done : done + more] = powers[:more] + np.uint32(_increment(level) & 0xFFFFFFFF)
    return powers.view(np.int32)


def data_sums(largest: int) -> np.ndarray:
    """Sum of the first k words of the template, modulo 2^64: uint64 [words + 1]."""
    words = template(largest // WORD).astype(np.int64).view(np.uint64)
    return np.concatenate((np.zeros(1, np.uint64), np.cumsum(words)))


def _doublings(words: int) -> list[tuple[int, int]]:
    """(words that are there, words that are added) per step."""
    steps: list[tuple[int, int]] = []
    done = 1
    while done < words:
        steps.append((done, min(done, words - done)))
        done *= 2
    return steps


def _increment(level: int) -> int:
    """What the words of one doubling differ by, as int32: word k is the first one + k * (2^32 / golden ratio)."""
    value = (0x9E3779B1 << level) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value
