"""What each instruction of `main` does in one sample: multiplications, and bytes of its operands; mixes of many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from emu.isa.codes import ON_GROUP, WRITES_GROUP
from emu.isa.table import BY_CODE, BY_NAME
from emu.operands.accesses import Accesses
from emu.program.nesting import executions
from emu.program.program import Program

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


def bytes_of(accesses: Accesses) -> dict[str, np.ndarray]:
    """Bytes that each instruction moves in one sample, int64 [instructions].

    Messages, loads and stores count in local memory, too: they read or write it.
    """
    section = accesses.section
    moved = accesses.elements * accesses.size * executions(section)[accesses.instruction]
    local, far = ~accesses.is_global, accesses.is_global
    kinds = {
        "local_read": local & accesses.read,
        "local_written": local & accesses.write,
        "loaded": far & accesses.read,
        "stored": far & accesses.write,
    }
    return {name: _summed(accesses.instruction[of], moved[of], len(section)) for name, of in kinds.items()}


def _summed(places: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    sums = np.zeros(count, np.int64)
    np.add.at(sums, places, values)
    return sums


def by_mnemonic(ops: np.ndarray, times: np.ndarray) -> Counter[str]:
    """How often each instruction runs: `ops` are opcodes, `times` how often each of them runs, both [instructions]."""
    codes, places = np.unique(ops, return_inverse=True)
    sums = _summed(places, times, len(codes))
    found = zip(codes.tolist(), sums.tolist(), strict=True)
    return Counter({BY_CODE[code].name: count for code, count in found if count})


def by_count(mix: Mapping[str, int]) -> dict[str, int]:
    """The same counts, the highest first; of equal ones in the order of the alphabet."""
    return dict(sorted(mix.items(), key=lambda item: (-item[1], item[0])))


def families() -> dict[str, str]:
    """What each instruction does, by mnemonic, in the order of the instruction table."""
    return {row.name: row.family.value for row in BY_CODE.values()}
