"""The weights that a program itself writes to groups in the bank, read off its text where that is simple enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from emu.isa.codes import WRITES_GROUP
from emu.isa.table import BY_NAME
from emu.program.program import Program
from emu.program.section import Instr, Section

Read = Callable[[int, int], bytes | None]  # of global memory, from an address on: that many bytes, if they never change


def written_weights(program: Program, read: Read) -> list[np.ndarray | None]:
    """Per group the weights [rows, padded columns] that `xbwrite` puts there from read-only tensors.

    None for a group outside of the bank, and where rows come from anywhere but a load right before the write, or twice.
    """
    found: list[np.ndarray | None] = [
        np.zeros((group.rows, group.padded_cols), group.weight.numpy) if group.shares else None
        for group in program.groups
    ]
    times = [np.zeros(group.rows, np.int64) for group in program.groups]
    for section in (program.init, program.main):
        for index in np.flatnonzero(WRITES_GROUP[section.columns["op"]]).tolist():
            write = section.decode(index)
            group, rows = found[write.arg0], slice(write.arg1, write.arg1 + write.n)
            times[write.arg0][rows] += 1
            if group is not None:
                spec = program.groups[write.arg0]
                content = _loaded(section, index, write, write.n * spec.cols * spec.weight.size, read)
                if content is None:
                    found[write.arg0] = None
                else:
                    group[rows, : spec.cols] = np.frombuffer(content, spec.weight.numpy).reshape(write.n, spec.cols)
    return [None if (count != 1).any() else group for group, count in zip(found, times, strict=True)]


def _loaded(section: Section, index: int, write: Instr, size: int, read: Read) -> bytes | None:
    """The bytes that the instruction before a write loads to its source; None if it does anything else."""
    load = section.decode(index - 1) if index else write
    if load.spec is not BY_NAME["ld"] or load.n != size or not _plain(load, write):
        return None
    return read(load.operands[1].base, size)


def _plain(load: Instr, write: Instr) -> bool:
    """Whether the load fills the source of the write, at one place."""
    (to, source), (taken,) = load.operands, write.operands
    same = to.base == taken.base and taken.stride == 1
    return same and all(not address.terms and address.reg < 0 for address in (to, source, taken))


def reader(tensors: Sequence[tuple[int, memoryview]]) -> Read:
    """Reads from tensors by address and bytes."""

    def read(address: int, size: int) -> bytes | None:
        for begin, content in tensors:
            if begin <= address and address + size <= begin + len(content):
                return bytes(content[address - begin : address - begin + size])
        return None

    return read
