"""Random small programs that mostly run: nested loops, aliasing operands, scratch, modulo terms, requests, traps."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from core_carried import Carried
from hypothesis import strategies as st
from tensors import image_buffer

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.isa.address import Address, Term
from emu.isa.dtypes import FLOATS, INTEGERS, DType
from emu.isa.instruction import FLAG_BITS, Family
from emu.isa.table import BY_CODE, BY_NAME
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Data, Program, Source
from emu.program.section import Section

MEMORY = 768
ARCH = Arch(
    core=Core(local_memory=MEMORY, registers=4, events=2),
    crossbar=Crossbar(rows=4, cols=8),
    global_memory=GlobalMemory(1 << 12),
)
GROUPS = (
    GroupSpec(DType.f32, DType.f32, DType.f32, (4, 2), (5,)),
    GroupSpec(DType.i8, DType.i8, DType.i32, (3,), (4,)),
    GroupSpec(DType.i32, DType.i8, DType.i16, (4, 1), (3,)),
    GroupSpec(DType.f16, DType.i8, DType.f16, (2, 2), (2,)),
)
VECTOR = [
    spec.name
    for spec in BY_CODE.values()
    if spec.family not in (Family.CONTROL, Family.SCALAR, Family.MATRIX, Family.GLOBAL, Family.COMMUNICATION)
]
COMMON = ["vvadd", "vvmul", "vvmax", "vrelu", "lmv", "lldi", "vmv", "vsum", "vavg", "vsadd", "vsel", "vcvt", "vvdmul"]


class Chooser(Protocol):
    """Where the random choices come from: hypothesis, or a plain generator for many programs."""

    def integer(self, low: int, high: int) -> int: ...
    def choice(self, options: Sequence[Any]) -> Any: ...


class Drawn:
    """Choices that hypothesis makes, and shrinks."""

    def __init__(self, data: Any) -> None:
        self._draw = data.draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def choice(self, options: Sequence[Any]) -> Any:
        return options[self._draw(st.integers(0, len(options) - 1))]


class Seeded:
    """Choices from a seed: a hundred times faster to make."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def choice(self, options: Sequence[Any]) -> Any:
        return options[self._random.randrange(len(options))]


def weights() -> list[np.ndarray]:
    """Contents of the groups: small numbers, padded columns zero."""
    found = []
    for k, spec in enumerate(GROUPS):
        array = np.zeros((spec.rows, spec.padded_cols), spec.weight.numpy)
        values = np.random.default_rng(k).integers(-5, 6, (spec.rows, spec.cols))
        array[:, : spec.cols] = values * (0.375 if spec.weight.is_float else 1)
        array.flags.writeable = False
        found.append(array)
    return found


@dataclass
class Generator:
    """Writes one random program."""

    choose: Chooser
    trips: tuple[int, ...] = ()
    requests: bool = True
    common: Sequence[str] = tuple(COMMON)  # most of the vector instructions; "mmul" may be one of them
    float_products: bool = True  # else those of integers alone
    arrays: list[tuple[int, tuple[Term, ...]]] = field(default_factory=list)  # of the pipeline that is being written
    count: int = 0  # elements of its instructions

    def program(self) -> Program:
        """A program with some of memory defined by data, `init` or state."""
        choose = self.choose
        rng = np.random.default_rng(choose.integer(0, 1 << 16))
        low = choose.choice((0, 0, 0, 0, 0, 0, 0, 0, 8, 100))
        high = choose.choice((*[MEMORY] * 8, MEMORY - 64, 300))
        content = rng.integers(0, 64, high - low, np.uint8).tobytes()  # no float in it is a NaN
        init = self.section(1) if choose.integer(0, 3) == 0 else self.section(0)
        main = self.section(choose.integer(1, 3))
        state = ((high, MEMORY - high),) if high < MEMORY and choose.integer(0, 1) else ()
        tops = main.children()
        buffers = tuple(
            image_buffer(f"t{k}", (0, 4), 1, 3, DType.i8, choose.integer(0, 64), choose.choice([*tops, len(main)]))
            for k in range(choose.integer(0, 2))
        )
        return Program(3, GROUPS, (Data(low, content),), state, init, main, (Source("node"),), buffers)

    def section(self, blocks: int) -> Section:
        """A few nests and single instructions."""
        builder = SectionBuilder()
        self.trips = ()
        for _ in range(blocks):
            kind = self.choose.integer(0, 11)
            if kind < 3:
                self.nest(builder)
            elif kind < 6:
                self.pipeline(builder)
            elif kind < 10:
                Carried(self.choose).write(builder)
            elif kind == 10:
                self.rewriting(builder)
            else:
                self.instruction(builder)
        return builder.finish()

    def pipeline(self, builder: SectionBuilder) -> None:
        """Loops whose instructions hand arrays on: streams, rows and scratch that move in some of the loops only."""
        choose = self.choose
        shape = tuple(choose.choice((1, 2, 3, 4)) for _ in range(choose.choice((1, 2, 2, 3))))
        self.count = choose.choice((1, 2, 3, 4))
        self.arrays = []
        for k in range(choose.integer(2, 6)):
            moving = [loop for loop in range(len(shape)) if choose.integer(0, 1)]
            terms: list[Term] = []
            span = 4 * self.count
            for loop in reversed(moving):
                terms.insert(0, Term(loop, span))
                span *= shape[loop]
            base = 96 * k + choose.choice((0, 0, 0, 0, 4, 1)) if span < 96 else choose.integer(0, max(0, MEMORY - span))
            self.arrays.append((base, tuple(terms)))
        self._levels(builder, shape)
        self.arrays = []

    def _levels(self, builder: SectionBuilder, shape: tuple[int, ...]) -> None:
        with builder.loop(shape[0]):
            self.trips = (*self.trips, shape[0])
            for _ in range(self.choose.integer(0 if shape[1:] else 1, 3)):
                self.instruction(builder)
            for _ in range(self.choose.integer(1, 2) if shape[1:] else 0):
                self._levels(builder, shape[1:])
                for _ in range(self.choose.integer(0, 2)):
                    self.instruction(builder)
            self.trips = self.trips[:-1]

    def rewriting(self, builder: SectionBuilder) -> None:
        """Loops that write array groups and multiply with them, in any order."""
        choose = self.choose
        groups = [choose.choice((0, 1, 2, 3) if self.float_products else (1, 2)) for _ in range(2)]
        with builder.loop(choose.integer(1, 4)):
            for k in range(choose.integer(1, 4)):
                self._on_group(builder, choose.choice(groups), k, 1)
                if choose.integer(0, 1):
                    with builder.loop(choose.integer(1, 3)):
                        for inner in range(choose.integer(1, 2)):
                            self._on_group(builder, choose.choice(groups), 4 + 2 * k + inner, 2)

    def _on_group(self, builder: SectionBuilder, group: int, number: int, depth: int) -> None:
        choose, spec = self.choose, GROUPS[group]
        terms = [Term(loop, choose.choice((0, 4, 8, 12))) for loop in range(depth)]
        source = Address(4 * choose.integer(0, 8), tuple(term for term in terms if term.stride))
        if choose.integer(0, 1):
            row = choose.integer(0, spec.rows - 1)
            fields = {"group": group, "row": row, "rows": choose.integer(0, spec.rows - row)}
            builder.emit("xbwrite", (spec.weight,), (source,), **fields)
            return
        moving = tuple(Term(loop, 20 * 4**loop) for loop in range(depth) if choose.integer(0, 3))
        flags = [flag for flag in ("relu", "acc") if choose.integer(0, 1)]
        target = Address(256 + 20 * number, moving)
        builder.emit("mvmul", (spec.input, spec.output), (target, source), flags, group=group)

    def nest(self, builder: SectionBuilder) -> None:
        """A loop with instructions and loops in it."""
        count = self.choose.choice((1, 2, 2, 3, 3, 4, 5, 0))
        with builder.loop(count):
            self.trips = (*self.trips, count)
            for _ in range(self.choose.choice((1, 1, 2, 2, 3, 4))):
                if len(self.trips) < 3 and self.choose.integer(0, 2) == 0:
                    self.nest(builder)
                else:
                    self.instruction(builder)
            self.trips = self.trips[:-1]

    def instruction(self, builder: SectionBuilder) -> None:
        """One instruction of any family."""
        builder.source = self.choose.choice((-1, 0))
        kind = self.choose.integer(0, 39)
        if kind == 0 and self.requests:
            self.request(builder)
        elif kind == 1:
            self.scalar(builder)
        elif kind < 8:
            self.matrix(builder)
        elif kind == 8:
            builder.emit("nop")
        else:
            name = self.choose.choice(self.common if kind < 32 else VECTOR)
            if name == "mmul":
                self.product(builder)
            else:
                self.vector(builder, name)

    def vector(self, builder: SectionBuilder, name: str) -> None:
        """A vector instruction or move."""
        spec, choose = BY_NAME[name], self.choose
        types = [self.type(legal) for legal in spec.accepts]
        flags = [choose.choice(spec.suffixes)] if spec.suffixes and choose.integer(0, 5) == 0 else []
        bits = sum(FLAG_BITS[flag] for flag in flags)
        if spec.refusal(types, bits):
            flags = []
        n = choose.choice((1, 2, 3, 4, 4, 5, 0) if choose.integer(0, 4) else (1,))
        if self.arrays and choose.integer(0, 7):
            n, types, flags = (
                self.count,
                [DType.f32 if DType.f32 in spec.accepts[k] else t for k, t in enumerate(types)],
                [],
            )
        fields: dict[str, float] = {
            "n": n,
            "size": n * (4 if self.arrays else choose.choice((1, 2, 4))),
            "byte": choose.integer(0, 60),
        }
        fields |= {"imm": choose.choice((2, 3, 1, -1, 0, 100)), "entries": choose.choice((64, 64, 3))}
        fields |= {"k": choose.integer(0, n), "width": choose.choice((1, 1, 2, 3))}
        fields = {field: fields[field] for field in spec.fields}
        self.emit(builder, name, types, flags, fields, fields.get("n", fields.get("size", 0)))

    def type(self, legal: frozenset[DType]) -> DType:
        """Mostly f32, so that operands of different instructions fit each other."""
        if DType.f32 in legal and self.choose.integer(0, 2):
            return DType.f32
        return self.choose.choice(sorted(legal))

    def matrix(self, builder: SectionBuilder) -> None:
        """A product with a group or on the digital unit, or a crossbar write."""
        choose, group = self.choose, self.choose.choice((0, 0, 0, 1, 2, 3) if self.float_products else (1, 1, 2))
        spec, which = GROUPS[group], self.choose.integer(0, 8)
        if which == 0:
            self.product(builder)
        elif which == 1:
            self.emit(
                builder, "xbwrite", [spec.weight], [], {"group": group, "row": 1, "rows": choose.integer(0, 1)}, 4
            )
        else:
            flags = [flag for flag in ("relu", "acc") if choose.integer(0, 1)]
            self.emit(builder, "mvmul", [spec.input, spec.output], flags, {"group": group}, spec.cols)

    def product(self, builder: SectionBuilder) -> None:
        """A product of two matrices on the digital unit."""
        choose = self.choose
        sizes = (1, 1, 2, 3) if choose.integer(0, 1) else (1, 2)
        fields = {"m": choose.choice(sizes), "k": choose.choice((*sizes, 0)), "n": choose.choice(sizes)}
        kinds = [FLOATS, INTEGERS] if self.float_products else [INTEGERS]
        legal = kinds[0] if choose.integer(0, 2) else kinds[-1]
        flags = ["acc"] if choose.integer(0, 2) == 0 else []
        self.emit(builder, "mmul", [self.type(legal) for _ in range(3)], flags, fields, 4)

    def scalar(self, builder: SectionBuilder) -> None:
        """A register write."""
        name = self.choose.choice(("sldi", "saddi", "sadd", "smuli", "sld"))
        fields = {"rd": self.choose.integer(0, 3), "rs1": self.choose.integer(0, 3), "rs2": self.choose.integer(0, 3)}
        fields["imm"] = self.choose.choice((0, 4, 8, 12, -4))
        spec = BY_NAME[name]
        operands = [Address(self.choose.integer(0, 64))] if name == "sld" else []
        builder.emit(name, (), operands, **{field: fields[field] for field in spec.fields})

    def request(self, builder: SectionBuilder) -> None:
        """Communication."""
        name = self.choose.choice(("send", "recv", "ld", "st", "sync", "wait"))
        fields = {"core": 1, "size": self.choose.integer(0, 24), "event": 1, "value": 0}
        spec = BY_NAME[name]
        operands = [self.address(8, 1, operand.strided) for operand in spec.operands]
        builder.emit(name, (), operands, **{field: fields[field] for field in spec.fields})

    def emit(self, builder: SectionBuilder, name: str, types: list, flags: list, fields: dict, count: float) -> None:
        """Emit with random operands, now and then exactly in place; most half overlaps are drawn again."""
        for _ in range(self.choose.choice((1, 8, 8, 8, 8))):
            operands = self.operands(name, types, int(count))
            if not self.half_overlap(name, operands, int(count)):
                break
        builder.emit(name, types, operands, flags, **fields)

    def operands(self, name: str, types: list, count: int) -> list[Address]:
        """Operands for one instruction."""
        operands: list[Address] = []
        for k, form in enumerate(BY_NAME[name].operands):
            kind = None if form.type is None else DType.bool if form.type < 0 else types[form.type]
            if k and self.choose.integer(0, 2) == 0:
                first = operands[0]
                pitch = first.pitch if form.pitched else 0
                operands.append(Address(first.base, first.terms, -1, first.stride if form.strided else 1, pitch))
            else:
                address = self.address(count, kind.size if kind else 1, form.strided)
                pitch = self.choose.choice((0, 0, 0, 1, 3, 4, 5, -3)) if form.pitched else 0
                operands.append(replace(address, pitch=pitch))
        return operands

    def half_overlap(self, name: str, operands: list[Address], count: int) -> bool:
        """Whether the first operand may overlap another one that is not the same."""
        first, spec = self.extent(operands[0], count), BY_NAME[name]
        in_place = spec.types == 1 and spec.family in (Family.BINARY, Family.IMMEDIATE, Family.UNARY)
        others = [self.extent(other, count) for other in operands[1:] if not in_place or other != operands[0]]
        return any(low < first[1] and first[0] < high for low, high in others)

    def extent(self, address: Address, count: int) -> tuple[int, int]:
        """Bytes that an operand spans in all iterations, roughly."""
        low = address.base - (8 * count if address.stride < 0 else 0)
        high = address.base + 4 * count * max(1, address.stride)
        for term in address.terms:
            reach = term.stride * max(0, (term.modulus or self.trips[term.loop]) - 1)
            low, high = low + min(0, reach), high + max(0, reach)
        return low, high

    def address(self, count: int, width: int, strided: bool) -> Address:
        """An address: row-major over the loops, scratch, or arbitrary."""
        choose = self.choose
        if self.arrays and choose.integer(0, 15):
            base, terms = choose.choice(self.arrays)
            return Address(base, tuple(term for term in terms if term.loop < len(self.trips)))
        style = choose.integer(0, 9)
        base = choose.integer(0, 40) * 16 if choose.integer(0, 7) else choose.integer(0, MEMORY)
        stride = choose.choice((0, 2, 3, -1)) if strided and choose.integer(0, 5) == 0 else 1
        terms: list[Term] = []
        if style < 5:
            span = max(1, count) * width * max(1, abs(stride))
            for loop in reversed(range(len(self.trips))):
                terms.insert(0, Term(loop, span))
                span *= max(1, self.trips[loop])
            base %= max(16, MEMORY - span)
        elif style < 8:
            for loop in range(len(self.trips)):
                step = choose.choice((0, width, count * width, -width, 16, 1, 64))
                if step:
                    modulus = choose.choice((0, 0, 0, 1, 2, 3, 6))
                    terms.append(Term(loop, step, choose.integer(-1, 3) if modulus else 0, modulus))
        reg = choose.integer(0, 3) if choose.integer(0, 24) == 0 else -1
        return Address(base, tuple(terms), reg, stride)
