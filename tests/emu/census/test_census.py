"""The census equals a walk over the tree of any program, and what cores and ports count while they run."""

from collections import Counter

import numpy as np
import random_networks
from draws import examples
from hypothesis import given, settings
from in_process import compile_in_memory, run_in_process
from strategies_programs import ARCH, programs

from emu.arch import Arch, Core, Crossbar
from emu.census.census import Census, census_of
from emu.census.counts import NUMBERS, summed
from emu.census.instructions import by_mnemonic, macs_of
from emu.census.nodes import NO_NODE, node_of
from emu.core.request import Load, Recv, Request, Send, Store
from emu.errors import EmuError
from emu.isa.dtypes import DType
from emu.isa.instruction import FLAG_BITS, RequestKind
from emu.isa.table import LOOP
from emu.program.group import cells_of
from emu.program.program import Program
from emu.program.section import Instr
from emu.replay.writes import writes_of


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


def moved(program: Program, instruction: Instr) -> Counter[str]:
    """Bytes of one execution, one operand at a time."""
    sums = Counter[str]()
    for operand in instruction.spec.operands:
        size = 1 if operand.type is None else DType.bool.size if operand.type < 0 else None
        size = instruction.types[operand.type].size if size is None else size
        nbytes = elements(program, instruction, operand.count) * size
        if operand.space == "g":
            sums["loaded"] += nbytes * operand.read
            sums["stored"] += nbytes * operand.write
            continue
        sums["local_read"] += nbytes * (operand.read or (operand.write and has_acc(instruction)))
        sums["local_written"] += nbytes * operand.write
        sums["sent"] += nbytes * (instruction.spec.ask is RequestKind.SEND)
        sums["received"] += nbytes * (instruction.spec.ask is RequestKind.RECV)
    return sums


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
def test_it_equals_a_walk(program: Program) -> None:
    (core,) = census_of({program.core: program}, ARCH).cores.values()
    each, wanted = macs_of(program), dict[str, Counter[str]]()
    for index, instruction, times in walk(program):
        mine, name = macs(program, instruction) * times, instruction.spec.name
        assert each[index] == mine
        node = node_of(program, int(program.main.columns["source"][index]))
        sums = wanted.setdefault(node, Counter())
        sums.update({f"written {name}": 1, f"executed {name}": times, "macs": mine})
        sums.update({"messages": times * (instruction.spec.ask is RequestKind.SEND)})
        sums.update({kind: times * nbytes for kind, nbytes in moved(program, instruction).items()})
    assert {share.node for share in core.shares} == set(wanted)
    for share in core.shares:
        counts, sums = share.counts, wanted[share.node]
        assert {f"written {name}": count for name, count in counts.written.items()}.items() <= sums.items()
        assert {name: sums[f"executed {name}"] for name in counts.written} == {
            name: counts.executed[name] for name in counts.written
        }
        for name in NUMBERS[: NUMBERS.index("write_events")]:
            assert getattr(counts, name) == sums[name], name
    assert core.counts.written.total() == len(program.main) and core.init == len(program.init)
    assert "loop" not in core.counts.unrolled
    writes = writes_of({program.core: program}, ARCH)
    written = [writes.total(figure) for figure in ("events", "rows", "cells")]
    assert [core.counts.write_events, core.counts.written_rows, core.counts.written_cells] == written


@given(programs())
def test_sums_add_up_however_they_are_grouped(program: Program) -> None:
    census = census_of({program.core: program}, ARCH)
    (core,) = census.cores.values()
    for owner in (str, lambda _: "all", lambda name: name[:1]):
        nodes = census.by_node(owner)
        assert summed(share.counts for shares in nodes.values() for share in shares) == census.total
        groups = {number for shares in nodes.values() for share in shares for number in share.groups}
        assert groups == {number for share in core.shares for number in share.groups}
    assert (core.weights, core.cells) == cells_of(program.groups, ARCH)
    assert census.total == core.counts and summed([census.total] * 2).macs == 2 * census.total.macs


class Watched:
    """A core that counts which of its instructions run in `main`, and what its port has done for it."""

    def __init__(self, core) -> None:
        self._core, self.ran, self.done = core, Counter[int](), Counter[str]()
        self._main = False
        core.watch(self._tell)

    def __getattr__(self, name: str):
        return getattr(self._core, name)

    def _tell(self, index: int) -> None:
        if self._main:
            self.ran[index] += 1

    def begin(self, section: str, sample: int) -> None:
        """As the core, which runs nothing yet."""
        self._main = section == "main"
        self._core.begin(section, sample)

    def complete(self, request: Request) -> None:
        """As the core; counts what has been done."""
        if self._main:
            match request:
                case Send(peer, data):
                    self.done.update({"messages": 1, "sent": len(data), f"to {peer}": len(data)})
                case Recv(_, into):
                    self.done.update({"received": len(into)})
                case Load(_, into):
                    self.done.update({"loaded": len(into)})
                case Store(_, data):
                    self.done.update({"stored": len(data)})
        self._core.complete(request)


def check_run(census: Census, watched: dict[int, Watched]) -> None:
    """Every core ran as often what the census says, by node, and its port did as much."""
    for number, core in census.cores.items():
        program, seen = watched[number].program, watched[number]
        ran = dict[str, Counter[str]]()
        for index, times in seen.ran.items():
            instruction = program.main.decode(index)
            node = node_of(program, int(program.main.columns["source"][index]))
            sums = ran.setdefault(node, Counter())
            sums.update({instruction.spec.name: times})
            sums.update({"macs": times * macs(program, instruction)})
        for share in core.shares:
            mine = ran.get(share.node, Counter())
            unrolled = share.counts.unrolled
            assert {name: mine[name] for name in unrolled} == dict(unrolled), share.node
            assert share.counts.macs == mine["macs"]
            assert share.counts.write_events == mine["xbwrite"]
        assert not set(ran) - {share.node for share in core.shares} - {NO_NODE}
        for name in ("messages", "sent", "received", "loaded", "stored"):
            assert getattr(core.counts, name) == seen.done[name], name
        to = {peer: size for (sender, peer), (_, size) in census.traffic.items() if sender == number}
        assert to == {int(name[3:]): size for name, size in seen.done.items() if name.startswith("to ")}


@settings(max_examples=examples(10, 400))
@given(random_networks.cases(), random_networks.WAYS)
def test_a_run_counts_the_same(case, way) -> None:
    rows, cols = way.crossbar
    chip = Arch(name="small", cores=64, core=Core(crossbars=1024), crossbar=Crossbar(rows, cols))
    mapping = (way.cores, way.packing, way.placement, way.granularity)
    try:
        compiled = compile_in_memory(case.model, chip, *mapping, products=way.products)
    except EmuError:
        return
    watched: list[Watched] = []

    def around(core) -> Watched:
        watched.append(Watched(core))
        return watched[-1]

    run_in_process(compiled, [case.sample], "step", around=around)
    check_run(census_of(compiled.programs, chip), {each.program.core: each for each in watched})


def test_counts_are_exact_beyond_floats() -> None:
    big = (1 << 53) + 1
    assert by_mnemonic(np.array([30, 30]), np.array([big, 2])) == {"vvadd": big + 2}
    assert by_mnemonic(np.array([30, 31]), np.array([0, 1])) == {"vvsub": 1}
