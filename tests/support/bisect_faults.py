"""Makers of faults in compiled images: each changes one thing that a wrong compiler could get wrong."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from emu.image.reader import Image, open_image
from emu.image.seal import seal
from emu.isa.instruction import FLAG_BITS, RequestKind
from emu.isa.table import BY_NAME, LOOP
from emu.program.codec import decode_program, encode_program
from emu.program.program import Data, Program
from emu.program.section import OPERAND_COLUMNS, TERM_COLUMNS, Section

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Fault:
    """One change: of a core, at an instruction, of an ONNX node as the source map says."""

    kind: str
    core: int
    index: int
    node: str
    also: str = ""  # of a fault in two instructions, the node of the other one


class Subject:
    """An image whose programs are looked at many times."""

    def __init__(self, out: Path) -> None:
        self.out, self.image = out, open_image(out)
        self.programs = {core: self.image.program(core) for core in self.image.cores}

    def files(self, core: int) -> tuple[str, str]:
        """Names of the program and of the weights of a core."""
        return next((f.program, f.xbar) for f in self.image.manifest.cores if f.core == core)

    def copy(self, target: Path) -> None:
        """A copy that shares its files until one is replaced."""
        target.mkdir()
        for path in self.out.iterdir():
            os.link(path, target / path.name)

    def instructions(self, chosen: Callable[[Program, int], bool]) -> list[tuple[int, int]]:
        """(core, index) of all instructions of `main` that `chosen` takes."""
        return [
            (core, index)
            for core, program in self.programs.items()
            for index in range(len(program.main))
            if chosen(program, index)
        ]


def replace_file(path: Path, content: bytes) -> None:
    """Write a file of a copy anew."""
    path.unlink()
    path.write_bytes(content)


def source(program: Program, index: int) -> str:
    """The node of an instruction, as the source map says."""
    number = int(program.main.columns["source"][index])
    return program.sources[number].node if 0 <= number < len(program.sources) else ""


def edited(subject: Subject, target: Path, kind: str, core: int, index: int, edit: Callable[[Columns], None]) -> Fault:
    """The copy `target` with changed columns of `main` of a core."""
    path = target / subject.files(core)[0]
    program = decode_program(path.read_bytes(), path.name)
    columns = {name: column.copy() for name, column in program.main.columns.items()}
    edit(columns)
    replace_file(path, encode_program(replace(program, main=Section(columns))))
    return Fault(kind, core, index, source(program, index))


def drop(columns: Columns, index: int, operands: int) -> None:
    """Make an instruction a `nop`; its operands and their address terms go."""
    first = int(columns["operand"][index])
    rows = slice(first, first + operands)
    begin, count = int(columns["term"][first]), int(columns["terms"][rows].sum())
    for name in ("op", "n", "arg0", "arg1", "arg2", "flags", "type0", "type1", "type2"):
        columns[name][index] = 0
    for name in TERM_COLUMNS:
        columns[name] = np.delete(columns[name], slice(begin, begin + count))
    for name in OPERAND_COLUMNS:
        columns[name] = np.delete(columns[name], rows)
    columns["operand"][index + 1 :] -= operands
    columns["term"][first:] -= count


def op(program: Program, index: int) -> str:
    """The mnemonic of an instruction, without types."""
    return program.main.decode(index).spec.name


def weight(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """One weight of a crossbar is another one."""
    users = subject.instructions(lambda p, k: op(p, k) == "mvmul")
    if not users:
        return None
    core, index = rng.choice(users)
    program = subject.programs[core]
    number = int(program.main.columns["arg0"][index])
    group = program.groups[number]
    path = target / subject.files(core)[1]
    content = bytearray(path.read_bytes())
    cells = np.frombuffer(content, group.weight.numpy, group.rows * group.padded_cols, group.offset)
    cells = cells.reshape(group.rows, group.padded_cols)
    row, column = rng.randrange(group.rows), rng.randrange(group.cols)
    if group.weight.is_float:
        cells[row, column] += rng.choice((-1, 1)) * 4 * float(np.abs(cells).max())
    else:
        cells[row, column] = 127 if cells[row, column] < 0 else -127
    replace_file(path, bytes(content))
    return Fault("weight", core, index, source(program, index))


def crossbar_index(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A product names another array group of the same shape."""

    def others(program: Program, index: int) -> list[int]:
        if op(program, index) != "mvmul":
            return []
        own = int(program.main.columns["arg0"][index])
        shape = program.groups[own]
        form = (shape.rows, shape.cols, shape.input, shape.output)
        return [k for k, g in enumerate(program.groups) if k != own and (g.rows, g.cols, g.input, g.output) == form]

    places = subject.instructions(lambda p, k: bool(others(p, k)))
    if not places:
        return None
    core, index = rng.choice(places)
    other = rng.choice(others(subject.programs[core], index))
    return edited(subject, target, "crossbar index", core, index, lambda c: c["arg0"].__setitem__(index, other))


def address(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """An operand stands some elements further, or less far."""
    places = subject.instructions(lambda p, k: bool(p.main.decode(k).operands))
    core, index = rng.choice(places)
    instr = subject.programs[core].main.decode(index)
    place = rng.randrange(len(instr.operands))
    if instr.spec.operands[place].space == "g":
        place = 1 - place
    kind = instr.spec.operands[place].type
    size = 4 if kind is None else instr.types[max(kind, 0)].size if instr.types else 4
    shift = rng.choice((-16, -4, -1, 1, 4, 16)) * size

    def edit(columns: Columns) -> None:
        columns["base"][columns["operand"][index] + place] += shift

    return edited(subject, target, "address", core, index, edit)


def accumulation(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A partial sum is not added: a product overwrites, or an addition is missing."""

    def sums(program: Program, index: int) -> bool:
        instr = program.main.decode(index)
        if instr.spec.name == "mvmul":
            return bool(instr.flags & FLAG_BITS["acc"])
        if instr.spec.name != "vvadd" or instr.operands[0] != instr.operands[1]:
            return False
        constants = {data.address for data in program.data}
        return instr.operands[2].base not in constants

    places = subject.instructions(sums)
    if not places:
        return None
    core, index = rng.choice(places)

    def edit(columns: Columns) -> None:
        if op(subject.programs[core], index) == "mvmul":
            columns["flags"][index] = int(columns["flags"][index]) & ~FLAG_BITS["acc"]
        else:
            drop(columns, index, 3)

    return edited(subject, target, "missing accumulation", core, index, edit)


def stride(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """An address advances by too much or too little per iteration."""

    def terms(program: Program, index: int) -> list[int]:
        columns = program.main.columns
        first, count = int(columns["operand"][index]), len(program.main.decode(index).operands)
        found = list[int]()
        for row in range(first, first + count):
            begin = int(columns["term"][row])
            found += range(begin, begin + int(columns["terms"][row]))
        return found

    places = subject.instructions(lambda p, k: bool(terms(p, k)))
    if not places:
        return None
    core, index = rng.choice(places)
    term = rng.choice(terms(subject.programs[core], index))
    size = max((t.size for t in subject.programs[core].main.decode(index).types), default=4)

    def edit(columns: Columns) -> None:
        columns["tstride"][term] += rng.choice((-1, 1)) * size

    return edited(subject, target, "wrong stride", core, index, edit)


def messages(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """Two messages of one size go where the other one should: their senders' or receivers' addresses are swapped."""

    def partners(program: Program, index: int) -> list[int]:
        columns = program.main.columns
        if columns["op"][index] not in (BY_NAME["send"].code, BY_NAME["recv"].code):
            return []
        row = int(columns["operand"][index])
        return [
            k
            for k in np.flatnonzero(
                (columns["op"] == columns["op"][index]) & (columns["n"] == columns["n"][index])
            ).tolist()
            if k != index and columns["base"][columns["operand"][k]] != columns["base"][row]
        ]

    places = subject.instructions(lambda p, k: bool(partners(p, k)))
    if not places:
        return None
    core, index = rng.choice(places)
    other = rng.choice(partners(subject.programs[core], index))

    def edit(columns: Columns) -> None:
        rows = [int(columns["operand"][k]) for k in (index, other)]
        for name in ("base",):
            columns[name][rows] = columns[name][rows[::-1]]

    fault = edited(subject, target, "swapped messages", core, index, edit)
    return replace(fault, also=source(subject.programs[core], other))


def bias(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A constant that is added is another one."""
    found = list[tuple[int, int, int]]()
    for core, program in subject.programs.items():
        constants = [data for data in program.data if len(data.content) >= 4]
        for index in range(len(program.main)):
            instr = program.main.decode(index)
            if instr.spec.name != "vvadd":
                continue
            for operand in instr.operands[1:]:
                for number, data in enumerate(constants):
                    if data.address <= operand.base < data.address + len(data.content):
                        found.append((core, index, program.data.index(constants[number])))
    if not found:
        return None
    core, index, number = rng.choice(found)
    path = target / subject.files(core)[0]
    program = decode_program(path.read_bytes(), path.name)
    instr = program.main.decode(index)
    data = program.data[number]
    values = np.frombuffer(data.content, instr.types[0].numpy).copy()
    place = rng.randrange(len(values))
    values[place] += 2 * max(1, int(np.abs(values).max())) if values.dtype.kind == "i" else 1.0
    changed = (*program.data[:number], Data(data.address, values.tobytes()), *program.data[number + 1 :])
    replace_file(path, encode_program(replace(program, data=changed)))
    return Fault("wrong bias", core, index, source(program, index))


def activation(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A function of one value is left out, or bounds at another value."""
    names = ("vrelu", "vtanh", "vsigm", "verf", "vexp", "vsmax", "vsmin", "vsqrt")
    places = subject.instructions(lambda p, k: op(p, k) in names)
    if not places:
        return None
    core, index = rng.choice(places)
    name = op(subject.programs[core], index)

    def edit(columns: Columns) -> None:
        if name in ("vsmax", "vsmin"):
            columns["imm"][index] += 1
        elif name == "vrelu":
            columns["op"][index] = BY_NAME["vabs"].code
        else:
            columns["op"][index] = BY_NAME["vtanh" if name != "vtanh" else "vsigm"].code

    return edited(subject, target, "wrong activation", core, index, edit)


def conversion(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A conversion rounds the other way, or reads its bytes as of another type."""
    places = subject.instructions(lambda p, k: op(p, k) in ("vcvt", "vround"))
    if not places:
        return None
    core, index = rng.choice(places)
    types = subject.programs[core].main.decode(index).types

    def edit(columns: Columns) -> None:
        if op(subject.programs[core], index) == "vround":
            columns["op"][index] = BY_NAME["vfloor"].code
        for column, kind in zip(("type0", "type1"), types, strict=False):
            if kind.name in ("i8", "u8"):
                columns[column][index] = type(kind)["u8" if kind.name == "i8" else "i8"]

    return edited(subject, target, "wrong type conversion", core, index, edit)


def loop(subject: Subject, target: Path, rng: random.Random) -> Fault | None:
    """A loop ends one iteration early."""
    places = subject.instructions(lambda p, k: p.main.columns["op"][k] == LOOP and p.main.columns["n"][k] > 1)
    if not places:
        return None
    core, index = rng.choice(places)
    fault = edited(
        subject, target, "off-by-one loop", core, index, lambda c: c["n"].__setitem__(index, c["n"][index] - 1)
    )
    program = subject.programs[core]
    inside = next(
        (source(program, k) for k in range(index, int(program.main.columns["end"][index])) if source(program, k)), ""
    )
    return replace(fault, node=fault.node or inside)


MAKERS: dict[str, Callable[[Subject, Path, random.Random], Fault | None]] = {
    "weight": weight,
    "crossbar index": crossbar_index,
    "address": address,
    "missing accumulation": accumulation,
    "wrong stride": stride,
    "swapped messages": messages,
    "wrong bias": bias,
    "wrong activation": activation,
    "wrong type conversion": conversion,
    "off-by-one loop": loop,
}


def make(subject: Subject, kind: str, target: Path, seed: str) -> Fault | None:
    """The copy `target` of a subject with a fault of a kind, sealed; None if the network has no place for one."""
    subject.copy(target)
    fault = MAKERS[kind](subject, target, random.Random(seed))
    if fault is not None:
        manifest = target / "manifest.json"
        replace_file(manifest, manifest.read_bytes())  # or else the seal would be of the original, too
        seal(target)
    return fault


__all__ = ["MAKERS", "Fault", "Image", "RequestKind", "Subject", "make"]
