"""Counts over the columns of a program: how often each instruction runs in a sample, its multiplications and bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from emu.isa.codes import ON_GROUP, WRITES_GROUP, asking
from emu.isa.instruction import Ask
from emu.isa.table import BY_CODE, BY_NAME
from emu.noc.traffic.traffic import executions
from emu.program.program import Program
from emu.replay.accesses import make_accesses

MULTIPLIES = ON_GROUP & ~WRITES_GROUP  # by opcode
MMUL, DOT = BY_NAME["mmul"].code, BY_NAME["vvdmul"].code


def macs_of(program: Program) -> np.ndarray:
    """Multiplications of each instruction of `main` in one sample, int64 [instructions].

    On crossbars each cell in use counts, then matrix products and dot products of the digital unit.
    """
    columns = program.main.columns
    op, each = columns["op"], np.zeros(len(program.main), np.int64)
    cells = np.array([group.rows * group.cols for group in program.groups], np.int64)
    on_group, products, dots = MULTIPLIES[op], op == MMUL, op == DOT
    if on_group.any():
        each[on_group] = cells[columns["arg0"][on_group]]
    each[products] = np.prod([columns[name][products] for name in ("arg0", "arg1", "n")], axis=0, dtype=np.int64)
    each[dots] = columns["n"][dots]
    return each * executions(program.main)


def by_mnemonic(ops: np.ndarray, times: np.ndarray) -> Counter[str]:
    """How often each instruction runs: `ops` are opcodes, `times` how often each of them runs, both [instructions]."""
    codes, places = np.unique(ops, return_inverse=True)
    sums = np.zeros(len(codes), np.int64)
    np.add.at(sums, places, times)
    found = zip(codes.tolist(), sums.tolist(), strict=True)
    return Counter({BY_CODE[code].name: count for code, count in found if count})


def by_count(mix: Mapping[str, int]) -> dict[str, int]:
    """The same counts, the highest first; of equal ones in the order of the alphabet."""
    return dict(sorted(mix.items(), key=lambda item: (-item[1], item[0])))


def families() -> dict[str, str]:
    """What each instruction does, by mnemonic, in the order of the instruction table."""
    return {row.name: row.family.value for row in BY_CODE.values()}


@dataclass(frozen=True, slots=True)
class BytesMoved:
    """Bytes in one sample: read and written in local memory, loaded from and stored to global memory, sent, received.

    Messages, loads and stores count in local memory, too: they read or write it.
    """

    local_read: int
    local_written: int
    loaded: int
    stored: int
    sent: int
    received: int


def bytes_moved(program: Program) -> BytesMoved:
    """What the instructions of `main` move in one sample."""
    accesses, times = make_accesses(program.main, program.groups), executions(program.main)
    moved = accesses.elements * accesses.size * times[accesses.instruction]
    op = program.main.columns["op"][accesses.instruction]
    local = ~accesses.is_global

    def total(chosen: np.ndarray) -> int:
        return int(moved[chosen].sum())

    return BytesMoved(
        local_read=total(local & accesses.read),
        local_written=total(local & accesses.write),
        loaded=total(accesses.is_global & accesses.read),
        stored=total(accesses.is_global & accesses.write),
        sent=total(local & asking(op, Ask.SEND)),
        received=total(local & asking(op, Ask.RECV)),
    )
