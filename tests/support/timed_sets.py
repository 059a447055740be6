"""Random programs that never deadlock, with random costs, on random chips: what executors of time are held to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from core_programs import Chooser

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.isa.address import Address, Term
from emu.isa.codes import ASK_OF
from emu.isa.dtypes import DType
from emu.isa.instruction import Family
from emu.isa.table import BY_CODE, LOOP
from emu.noc.traffic.topology import Mesh
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from emu.replay.core_view import CoreView, SectionView
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.network.network import Network
from emu.timing.setup import SECTIONS, Setup, TimedCore, TimedSection
from emu.timing.units import FIRST_GROUP, NO_UNIT, SCALAR, TRANSFER, VECTOR

MEMORY, REGISTERS, EVENTS = 2048, 4, 2
ARCH = Arch(
    cores=16,
    core=Core(local_memory=MEMORY, registers=REGISTERS, events=EVENTS),
    crossbar=Crossbar(rows=4, cols=4),
    global_memory=GlobalMemory(1 << 12),
)
GROUPS = tuple(GroupSpec(DType.i8, DType.i8, DType.i8, (size,), (size,)) for size in (2, 4))
TIMES = ((0,), (1,), (0, 1), (1, 2, 3), (0, 2, 5), (1, 7, 30), (0, 0, 0, 10))
_I8 = (DType.i8,)


@dataclass
class Writer:
    """Writes the same script for all cores: what one does stands in its own program only."""

    choose: Chooser
    builders: Sequence[SectionBuilder]

    def section(self, blocks: int) -> None:
        """A few blocks."""
        for _ in range(blocks):
            self._block(0)

    def _block(self, depth: int) -> None:
        kind = self.choose.integer(0, 9)
        if kind <= 2 and depth < 2:
            self._together(depth)
        elif kind <= 5:
            self._nest(self.choose.choice(self.builders))
        else:
            self._pass()

    def _together(self, depth: int) -> None:
        """A loop of all cores, in which they talk."""
        trips = self.choose.choice((0, 1, 2, 2, 3, 5))
        with ExitStack() as stack:
            for builder in self.builders:
                stack.enter_context(builder.loop(trips))
            for _ in range(self.choose.integer(1, 3)):
                self._block(depth + 1)

    def _pass(self) -> None:
        """A message, a sync and its wait, or something of global memory; others may do something in between."""
        choose, builders = self.choose, self.builders
        one = choose.integer(0, len(builders) - 1)
        other = choose.integer(0, len(builders) - 1)
        kind = choose.choice(("message", "message", "message", "sync", "global", "work")) if one != other else "global"
        if kind == "message":
            size = choose.choice((0, 1, 8, 40))
            builders[one].emit("send", (), (self._address(builders[one]),), core=other, size=size)
            builders[other].emit("recv", (), (self._address(builders[other]),), core=one, size=size)
        elif kind == "sync":
            event, count = choose.integer(0, EVENTS - 1), choose.integer(1, 2)
            for _ in range(count):
                builders[one].emit("sync", core=other, event=event)
            builders[other].emit("wait", event=event, value=choose.choice((0, count, count)))
        elif kind == "work":
            self._operation(builders[one], 40)
        else:
            self._global(builders[one])

    def _global(self, builder: SectionBuilder) -> None:
        size, there = self.choose.choice((1, 8, 40)), Address(self.choose.integer(0, 500))
        kind = self.choose.choice(("ld", "st", "sld"))
        if kind == "ld":
            builder.emit("ld", (), (self._address(builder), there), size=size)
        elif kind == "st":
            builder.emit("st", (), (there, self._address(builder)), size=size)
        else:
            builder.emit("sld", (), (there,), rd=self.choose.integer(0, REGISTERS - 1))

    def _nest(self, builder: SectionBuilder) -> None:
        """Loops in which a core is alone."""
        choose, lengths = self.choose, (1, 2, 3, 8, 25)
        with ExitStack() as stack:
            for _ in range(choose.integer(0, 2)):
                stack.enter_context(builder.loop(choose.choice(lengths)))
                for _ in range(choose.choice((0, 0, 1))):
                    self._operation(builder, choose.choice((1, 8)))
            if choose.integer(0, 3) == 0:
                with builder.loop(choose.choice((*lengths, 60))):
                    self._operation(builder, choose.choice((1, 8)))
            for _ in range(choose.integer(1, 4)):
                self._operation(builder, choose.choice((1, 8, 20)))

    def _operation(self, builder: SectionBuilder, count: int) -> None:
        choose, place = self.choose, lambda: self._address(builder)
        kind = choose.choice(("lmv", "lldi", "vvadd", "vvadd", "vmv", "vsum", "mvmul", "mvmul", "xbwrite", "scalar"))
        group = choose.integer(0, len(GROUPS) - 1)
        if kind == "lmv":
            builder.emit("lmv", (), (place(), place()), size=count)
        elif kind == "lldi":
            builder.emit("lldi", (), (place(),), byte=1, size=choose.choice((0, count)))
        elif kind == "vvadd":
            builder.emit("vvadd", _I8, (place(), place(), place()), n=count)
        elif kind == "vmv":
            builder.emit("vmv", _I8, (place(), self._address(builder, choose.choice((-3, 0, 2)))), n=count)
        elif kind == "vsum":
            builder.emit("vsum", _I8, (place(), place()), n=count)
        elif kind == "mvmul":
            builder.emit("mvmul", _I8 * 2, (place(), place()), choose.choice(((), ("acc",))), group=group)
        elif kind == "xbwrite":
            builder.emit("xbwrite", _I8, (place(),), group=group, row=0, rows=2)
        else:
            self._scalar(builder)

    def _scalar(self, builder: SectionBuilder) -> None:
        choose = self.choose
        one, other = choose.integer(0, REGISTERS - 1), choose.integer(0, REGISTERS - 1)
        if choose.integer(0, 1):
            builder.emit("sldi", rd=one, imm=choose.choice((0, 16, 300)))
        else:
            builder.emit("saddi", rd=one, rs1=choose.choice((one, other)), imm=choose.choice((0, 1, 8)))

    def _address(self, builder: SectionBuilder, stride: int = 1) -> Address:
        choose, terms = self.choose, list[Term]()
        for depth in range(builder.depth):
            kind = choose.integer(0, 7)
            if kind == 0:
                modulus = choose.choice((1, 2, 3, 5, 40))
                terms.append(Term(depth, choose.choice((1, 8, 16)), choose.integer(-1, 3), modulus))
            elif kind <= 4:
                terms.append(Term(depth, choose.choice((-4, -1, 1, 4, 8, 8, 16))))
        register = choose.integer(0, REGISTERS - 1) if choose.integer(0, 15) == 0 else -1
        base = choose.choice((600, 608, 640, 700, choose.integer(500, 1500)))
        return Address(base, tuple(terms), register, stride)


def random_setup(choose: Chooser) -> Setup:
    """Programs, costs, chip and flow."""
    number = choose.integer(1, 5)
    sections: dict[str, list[SectionBuilder]] = {}
    for name, blocks in (("init", choose.choice((0, 0, 1, 2))), ("main", choose.integer(1, 6))):
        sections[name] = [SectionBuilder() for _ in range(number)]
        Writer(choose, sections[name]).section(blocks)
    if choose.integer(0, 1):
        for builder in sections["main"]:
            builder.emit("halt")
    tables = [choose.choice(TIMES) for _ in range(7)]
    cores: dict[int, TimedCore] = {}
    for core in range(number):
        init, main = (sections[name][core].finish() for name in SECTIONS)
        program = Program(core, GROUPS, init=init, main=main)
        views = CoreView(program, ARCH).sections
        cores[core] = TimedCore(program, {n: TimedSection(v, _costs(choose, v, tables)) for n, v in views.items()})
    return Setup(
        cores,
        choose.choice((1, 2, 3, 4, 5, 8, 16)),
        choose.choice((0, 0, 1, 2)),
        choose.choice((0, 1, 2)),
        _network(choose, number),
        choose.choice((0, 0, 1, 2, 3)),
        choose.choice((0, 4)),
    )


def _network(choose: Chooser, cores: int) -> Network:
    base, hop, flit = choose.choice((0, 3)), choose.choice((1, 4)), choose.choice((0, 1))
    contended = bool(choose.integer(0, 1))
    table = None
    if not contended and choose.integer(0, 2) == 0:
        table = [[choose.choice((0, 1, 9)) for _ in range(cores + 1)] for _ in range(cores + 1)]
    return Network(Mesh(2), base, hop, flit, 1, table, contended)


def _costs(choose: Chooser, view: SectionView, tables: Sequence[tuple[int, ...]]) -> Costs:
    """Costs of each instruction on its own, from a few values each."""
    op, first = view.section.columns["op"].tolist(), view.section.columns["arg0"].tolist()
    issue, read, compute, interval, write, wire, service = (
        [choose.choice(table) if code != LOOP else 0 for code in op] for table in tables
    )
    asks = ASK_OF[op].tolist() if op else []
    for place, ask in enumerate(asks):
        pipelined = not ask and choose.integer(0, 1)
        interval[place] = min(interval[place], compute[place]) if pipelined else WHOLE
        wire[place] = wire[place] + 1 if ask and wire[place] else 0  # at least a flit
    unit = [_unit(code, group) for code, group in zip(op, first, strict=True)]
    columns = (unit, issue, read, compute, interval, write, wire, service)
    return Costs(*(np.array(column, np.int64) for column in columns), {})


def _unit(code: int, group: int) -> int:
    spec = BY_CODE[code]
    if code == LOOP:
        return NO_UNIT
    if spec.ask is not None:
        return TRANSFER
    if spec.crossbar is not None:
        return FIRST_GROUP + group
    return SCALAR if spec.family in (Family.SCALAR, Family.CONTROL) else VECTOR
