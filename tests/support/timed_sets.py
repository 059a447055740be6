"""Random program sets that never deadlock, with random costs on random networks: for executors that must agree."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
from core_programs import Chooser

from emu.arch import Arch, Core
from emu.isa.address import Address, Term
from emu.isa.codes import ASK_OF, asking
from emu.isa.dtypes import DType
from emu.isa.instruction import RequestKind
from emu.isa.table import LOOP
from emu.noc.traffic.topology import Chips, Mesh, Ring, Switch
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program, Source
from emu.program.validate import validate_program
from emu.replay.core_view import CoreView, SectionView
from emu.timing.basis.units import FIRST_GROUP
from emu.timing.model.costs import WHOLE, Costs
from emu.timing.model.section_costs import unit_numbers
from emu.timing.network.network import ChipLinks, NetworkTimes
from emu.timing.setup import Setup, TimedCore, TimedSection

MEMORY = 256
ARCH = Arch(name="timed", cores=6, core=Core(crossbars=8, local_memory=MEMORY, registers=4, events=3))
GROUPS = (
    GroupSpec(DType.i8, DType.i8, DType.i32, (3,), (4,)),
    GroupSpec(DType.f32, DType.f32, DType.f32, (4, 2), (5,)),
    GroupSpec(DType.i8, DType.i8, DType.i32, (3,), (4,), bank=0),
    GroupSpec(DType.i8, DType.i8, DType.i32, (3, 2), (4,), bank=0),
    GroupSpec(DType.i8, DType.i8, DType.i32, (2,), (4,), bank=1),
)
WRITTEN = 0, 2, 3, 4

KINDS = "add", "add", "relu", "sum", "lmv", "gather", "mvmul", "mvmul", "xbwrite", "scalar", "nop"
DURATIONS = ((0,), (0, 1), (1, 2, 3), (0, 5, 10), (7,), (1, 30, 400))  # of one column: ties, zeros, and both far apart


@dataclass
class Sets:
    """Writes one set of programs, and makes a setup of it."""

    choose: Chooser
    cores: int = 0
    trips: tuple[int, ...] = (0, 1, 2, 3, 7)
    requests: bool = True

    def setup(self) -> Setup:
        """Everything at random."""
        programs = self.programs()
        network = self.network()
        cores = {core: self._timed(program, network) for core, program in programs.items()}
        choose = self.choose
        window, ports = choose.choice((1, 1, 2, 3, 4, 16)), (choose.choice((0, 1, 1, 2)), choose.choice((0, 1, 1, 2)))
        return Setup(cores, window, *ports, network, choose.choice((0, 0, 1, 2, 5)), choose.choice((0, 0, 2)))

    def programs(self) -> dict[int, Program]:
        """Projections of one order of messages and events."""
        choose = self.choose
        numbers = list(range(self.cores or choose.integer(1, 4)))
        sections: dict[str, dict[int, SectionBuilder]] = {}
        for name, length in (("init", 2), ("main", 6)):
            self._build = sections[name] = {core: SectionBuilder() for core in numbers}
            self._body(numbers, choose.integer(0, length))
            for core in numbers:
                self._build[core].emit("halt")
        made = {
            core: Program(
                core,
                GROUPS,
                init=sections["init"][core].finish(),
                main=sections["main"][core].finish(),
                sources=(Source("a"), Source("b")),
            )
            for core in numbers
        }
        for program in made.values():
            validate_program(program, ARCH, "random", set(numbers))
        return made

    def _body(self, cores: list[int], steps: int) -> None:
        kinds = ["compute", "compute", "loop"] + ["message", "event", "memory"] * self.requests
        for _ in range(steps):
            kind, core = self.choose.choice(kinds), self.choose.choice(cores)
            build = self._build[core]
            build.source = self.choose.integer(-1, 1)
            if kind == "loop" and build.depth < 3:
                self._loop(self.choose.choice((cores, [core])))
            elif kind in ("message", "event") and len(cores) > 1:
                other = self.choose.choice([peer for peer in cores if peer != core])
                self._message(core, other) if kind == "message" else self._event(core, other)
            elif kind == "memory":
                self._memory(build)
            else:
                for _ in range(self.choose.integer(1, 3)):
                    self._compute(build)

    def _loop(self, cores: list[int]) -> None:
        trips = self.choose.choice(self.trips)
        with ExitStack() as stack:
            for core in cores:
                stack.enter_context(self._build[core].loop(trips))
            self._body(cores, self.choose.integer(1, 3))

    def _message(self, src: int, dst: int) -> None:
        size = self.choose.choice((0, 1, 8, 40))
        self._build[src].emit("send", (), (self._address(src),), core=dst, size=size)
        self._build[dst].emit("recv", (), (self._address(dst),), core=src, size=size)

    def _event(self, src: int, dst: int) -> None:
        event, times = self.choose.integer(0, 2), self.choose.integer(1, 2)
        for _ in range(times):
            self._build[src].emit("sync", core=dst, event=event)
        self._build[dst].emit("wait", event=event, value=times)

    def _memory(self, build: SectionBuilder) -> None:
        local, far, name = self._place(build), Address(0), self.choose.choice(("ld", "st", "sld"))
        if name == "sld":
            build.emit("sld", (), (far,), rd=self.choose.integer(0, 3))
        else:
            build.emit(name, (), (local, far) if name == "ld" else (far, local), size=self.choose.choice((0, 4, 30)))

    def _compute(self, build: SectionBuilder) -> None:
        choose, n = self.choose, self.choose.choice((0, 1, 4, 20))
        a, b, c = (self._place(build) for _ in range(3))
        match choose.choice(KINDS):
            case "add":
                build.emit("vvadd", (DType.i8,), (a, b, c), n=n)
            case "relu":
                build.emit("vrelu", (DType.f32,), (a, b), n=n)
            case "sum":
                build.emit("vsum", (DType.i32,), (replace(a, stride=1), b), n=n)
            case "lmv":
                build.emit("lmv", (), (replace(a, stride=1), replace(b, stride=1)), size=n)
            case "gather":
                build.emit("vmv", (DType.i8,), (a, replace(b, stride=choose.choice((0, 1, 3, -2)))), n=n)
            case "mvmul":
                group = choose.integer(0, len(GROUPS) - 1)
                types = GROUPS[group].input, GROUPS[group].output
                build.emit("mvmul", types, (a, b), choose.choice(((), ("acc",), ("relu",))), group=group)
            case "xbwrite":
                build.emit("xbwrite", (DType.i8,), (a,), group=choose.choice(WRITTEN), row=0, rows=choose.integer(0, 2))
            case "scalar":
                self._scalar(build)
            case _:
                build.emit("nop")

    def _scalar(self, build: SectionBuilder) -> None:
        register, other = self.choose.integer(0, 3), self.choose.integer(0, 3)
        if self.choose.integer(0, 1):
            build.emit("sldi", rd=register, imm=self.choose.integer(0, 60))
        else:
            build.emit("saddi", rd=register, rs1=other, imm=self.choose.integer(-9, 9))

    def _address(self, core: int) -> Address:
        return self._place(self._build[core])

    def _place(self, build: SectionBuilder) -> Address:
        choose = self.choose
        terms = [self._term(level) for level in range(build.depth) if choose.integer(0, 1)]
        register = choose.integer(0, 3) if choose.integer(0, 9) == 0 else -1
        return Address(choose.choice((0, 0, 8, 16, 40, 100, 130)), tuple(terms), register)

    def _term(self, level: int) -> Term:
        stride, modulus = self.choose.choice((0, 1, 4, 8, 20, -4)), self.choose.choice((0, 0, 2, 3))
        return Term(level, stride, self.choose.integer(0, 2) if modulus else 0, modulus)

    def network(self) -> NetworkTimes:
        """A mesh, with contended links or one that all messages share or none of these, or a table."""
        choose = self.choose
        mesh, base, hop, flit = Mesh(choose.integer(1, 3)), choose.choice((0, 0, 3)), choose.choice((0, 1, 10)), 2
        kind = choose.choice(("hops", "links", "table", "shared"))
        links = self._links() if choose.integer(0, 1) else None
        if kind == "table":
            rng = np.random.default_rng(choose.integer(0, 1 << 16))
            table = rng.integers(0, 9, (ARCH.cores + 1, ARCH.cores + 1)).tolist()
            return NetworkTimes(mesh, base, hop, choose.choice((0, flit)), 4, table, links=links)
        queues = kind in ("links", "shared")
        return NetworkTimes(mesh, base, hop + queues, flit, 4, None, queues, kind == "shared", links)

    def _links(self) -> ChipLinks:
        """Chips of two cores, of one, or of all but one."""
        choose, cores = self.choose, self.choose.choice((1, 2, ARCH.cores - 1))
        between = choose.choice((Mesh(1), Mesh(2), Ring(-(-ARCH.cores // cores)), Switch(-(-ARCH.cores // cores))))
        return ChipLinks(
            Chips(Mesh(choose.integer(1, 2)), cores, between), choose.choice((0, 5)), choose.choice((0, 1, 7))
        )

    def _timed(self, program: Program, network: NetworkTimes) -> TimedCore:
        views = CoreView(program, ARCH).sections
        return TimedCore(program, {name: TimedSection(view, self.costs(view, network)) for name, view in views.items()})

    def costs(self, view: SectionView, network: NetworkTimes) -> Costs:
        """Random costs of a section: requests and products as models give them, otherwise anything."""
        rng, length = np.random.default_rng(self.choose.integer(0, 1 << 16)), len(view.section)
        op = view.section.columns["op"]

        def column() -> np.ndarray:
            drawn = rng.choice(np.array(self.choose.choice(DURATIONS)), length).astype(np.int64)
            return np.where(op == LOOP, 0, drawn)

        issue, read, compute, write, service, unit = *(column() for _ in range(5)), unit_numbers(view)
        pipelined = (unit >= FIRST_GROUP) & (rng.integers(0, 2, length) > 0)
        interval = np.where(pipelined, compute // rng.integers(1, 3, length), WHOLE)
        moves = asking(op, RequestKind.SEND, RequestKind.LOAD, RequestKind.STORE)
        wire = np.where(moves, rng.integers(0, 4, length), 0) * self._spacing(view, network)
        service = np.where(asking(op, RequestKind.LOAD, RequestKind.STORE), service, 0)
        counts = {("adc", "convert"): rng.integers(0, 3, length), ("vector", "op"): np.where(ASK_OF[op] > 0, 0, 1)}
        return Costs(unit, issue, read, compute, interval, write, wire, service, counts)

    def _spacing(self, view: SectionView, network: NetworkTimes) -> np.ndarray:
        op, peers, core = view.section.columns["op"], view.section.columns["arg0"], view.program.core
        ends = [
            (core, peer) if ask == RequestKind.SEND else (-1, core) if ask == RequestKind.LOAD else (core, -1)
            for ask, peer in zip(ASK_OF[op].tolist(), peers.tolist(), strict=True)
        ]
        moves = asking(op, RequestKind.SEND, RequestKind.LOAD, RequestKind.STORE)
        return np.array([network.spacing(*pair) if moved else 0 for pair, moved in zip(ends, moves, strict=True)], int)
