"""Counts over columns equal a walk over the tree of any program, instruction by instruction."""

from collections import Counter
from dataclasses import asdict

import numpy as np
from hypothesis import given
from strategies_programs import ARCH, programs

from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, Ask
from emu.isa.table import LOOP
from emu.program.group import cells_of
from emu.program.program import Program
from emu.program.section import Instr
from launch.images.counts import BytesMoved, by_mnemonic, bytes_moved, macs_of
from launch.stats.counting import counts_of, together


def walk(program: Program, begin: int = 0, end: int | None = None, times: int = 1):
    """(index, instruction, how often it runs) of `main`, bodies inside of their loops."""
    for index in program.main.children(begin, end):
        instruction = program.main.decode(index)
        yield index, instruction, times
        if instruction.spec.code == LOOP:
            yield from walk(program, index + 1, instruction.end, times * instruction.n)


def elements(program: Program, instruction: Instr, count: str) -> int:
    """What the table says of an operand: a product of digits, fields and extents of the group."""
    product = 1
    for name in count.split("*"):
        if name.isdigit():
            product *= int(name)
        elif name in instruction.spec.fields:
            product *= int(instruction.field(name))
        else:
            product *= getattr(program.groups[instruction.arg0], name)
    return product


def moved(program: Program) -> BytesMoved:
    """One instruction and one operand at a time."""
    sums = Counter[str]()
    for _, instruction, times in walk(program):
        for operand in instruction.spec.operands:
            size = 1 if operand.type is None else DType.bool.size if operand.type < 0 else None
            size = instruction.types[operand.type].size if size is None else size
            nbytes = elements(program, instruction, operand.count) * size * times
            if operand.space == "g":
                sums["loaded"] += nbytes * operand.read
                sums["stored"] += nbytes * operand.write
                continue
            sums["local_read"] += nbytes * (operand.read or (operand.write and has_acc(instruction)))
            sums["local_written"] += nbytes * operand.write
            sums["sent"] += nbytes * (instruction.spec.ask is Ask.SEND)
            sums["received"] += nbytes * (instruction.spec.ask is Ask.RECV)
    return BytesMoved(**{name: sums[name] for name in BytesMoved.__slots__})


def has_acc(instruction: Instr) -> bool:
    """Whether it starts from what stands at its destination."""
    return "acc" in instruction.spec.flags and bool(instruction.flags & FLAG_BITS["acc"])


def macs(program: Program, instruction: Instr) -> int:
    """Multiplications of one execution."""
    name = instruction.spec.name
    if name == "mvmul":
        group = program.groups[instruction.arg0]
        return group.rows * group.cols
    if name == "mmul":
        return int(instruction.field("m") * instruction.field("k") * instruction.field("n"))
    return instruction.n if name == "vvdmul" else 0


@given(programs())
def test_counts_equal_a_walk(program: Program) -> None:
    steps = list(walk(program))
    each = macs_of(program)
    for index, instruction, times in steps:
        assert each[index] == macs(program, instruction) * times
    assert bytes_moved(program) == moved(program)
    counts = counts_of(program, ARCH)
    assert counts.written == Counter(step.spec.name for _, step, _ in steps)
    unrolled = Counter[str]()
    for _, step, times in steps:
        unrolled[step.spec.name] += times if step.spec.code != LOOP else 0
    assert counts.unrolled == +unrolled
    sends = [times for _, step, times in steps if step.spec.ask is Ask.SEND]
    assert (counts.messages, counts.macs) == (sum(sends), sum(each))
    assert asdict(bytes_moved(program)).items() <= counts.to_dict().items()
    twice = together([counts, counts])
    assert twice.unrolled.total() == 2 * counts.unrolled.total() and twice.cell_share == counts.cell_share
    assert (twice.weights, twice.cells) == tuple(2 * part for part in cells_of(program.groups, ARCH))


def test_counts_are_exact_beyond_floats() -> None:
    big = (1 << 53) + 1
    assert by_mnemonic(np.array([30, 30]), np.array([big, 2])) == {"vvadd": big + 2}
    assert by_mnemonic(np.array([30, 31]), np.array([0, 1])) == {"vvsub": 1}
