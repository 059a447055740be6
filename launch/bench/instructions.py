"""What an instruction costs in a core that is warm, beside the NumPy calls that it comes to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from emu.core.memory import LocalMemory
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.program import Program
from launch.bench.clock import least_in_turns
from launch.bench.core_samples import one_sample

LENGTH, COUNT = 256, 64  # elements of a vector; instructions of a section
BYTES = 4 * LENGTH
F32 = DType.f32
Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class InstructionCost:
    """Seconds of what is called `name`, ours and (None: there is none) bare."""

    name: str
    what: str
    ours: float
    bare: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """`ours` makes `count` instructions, `bare` as much with NumPy; `base` is to be taken off ours."""

    name: str
    what: str
    count: int
    ours: Work
    bare: Work | None
    base: Work | None = None


def instruction_steps(runs: int, least: float) -> list[dict[str, Any]]:
    """Seconds of an instruction of each kind, ours and bare, undisturbed."""
    pairs = _pairs()
    works = [work for pair in pairs for work in (pair.ours, pair.bare, pair.base) if work is not None]
    times = iter(least_in_turns(works, runs, least))
    found = list[InstructionCost]()
    for pair in pairs:
        ours, bare, base = (None if work is None else next(times) for work in (pair.ours, pair.bare, pair.base))
        assert ours is not None
        own = max(0.0, ours - (base or 0.0)) / pair.count
        other = None if bare is None else bare / pair.count
        found.append(InstructionCost(pair.name, pair.what, own, other))
    return [asdict(each) for each in found]


def _pairs() -> list[Pair]:
    halts = one_sample(_program(lambda builder: None))
    x, y, z = (np.zeros((COUNT, LENGTH), np.float32) for _ in range(3))
    rows = list(zip(x, y, z, strict=True))
    memory = LocalMemory(4 * BYTES)
    window, content = memory.window(0, BYTES), bytes(BYTES)

    def adds() -> None:
        for a, b, c in rows:
            np.add(a, b, out=c)

    def trips() -> None:
        a, b, c = rows[0]
        for _ in range(COUNT // 2):
            np.multiply(a, b, out=a)
            np.add(a, c, out=a)

    def copy() -> None:
        window[:] = content

    resolved = partial(memory.view, np.dtype(np.float32), BYTES, (LENGTH,), (4,))
    return [
        Pair("sample", "a sample that only halts: begun and ended, no network", 1, halts, None),
        Pair("operand", f"a view of {LENGTH} float32 elements made by `LocalMemory.view`", 1, resolved, None),
        Pair("copy", f"{BYTES} bytes into local memory", 1, copy, None),
        Pair("straight", f"`vvadd` of {LENGTH}, in a straight run", COUNT, one_sample(_straight()), adds, halts),
        Pair("recurrence", f"`vvmul`, `vvadd` of {LENGTH}, in a recurrence", COUNT, one_sample(_trips()), trips, halts),
        Pair(
            "loop",
            f"`vvadd` of {LENGTH}, in a loop that is one operation",
            COUNT,
            one_sample(_loop()),
            partial(np.add, x, y, out=z),
            halts,
        ),
        *(_vector(halts, *shape) for shape in ((128, 128), (256, 1024))),
    ]


def _program(fill: Callable[[SectionBuilder], None], groups: tuple[GroupSpec, ...] = (), size: int = 0) -> Program:
    """A program whose `init` defines `size` bytes, for `main` to be what `fill` emits."""
    init, main = SectionBuilder(), SectionBuilder()
    if size:
        init.emit("lldi", operands=[Address(0)], byte=0, size=size)
    fill(main)
    main.emit("halt")
    return Program(0, groups, state=((0, size),) if size else (), init=init.finish(), main=main.finish())


def _straight() -> Program:
    def fill(builder: SectionBuilder) -> None:
        for k in range(COUNT):
            places = [Address(BYTES * place) for place in (k + 2, k + 1, 0)]
            builder.emit("vvadd", [F32], places, n=LENGTH)

    return _program(fill, size=BYTES * (COUNT + 2))


def _trips() -> Program:
    def fill(builder: SectionBuilder) -> None:
        x, y, z = (Address(BYTES * place) for place in range(3))
        with builder.loop(COUNT // 2):
            builder.emit("vvmul", [F32], [x, x, y], n=LENGTH)
            builder.emit("vvadd", [F32], [x, x, z], n=LENGTH)

    return _program(fill, size=3 * BYTES)


def _loop() -> Program:
    def fill(builder: SectionBuilder) -> None:
        with builder.loop(COUNT) as loop:
            places = [Address(BYTES * COUNT * place, (Term(loop, BYTES),)) for place in (2, 0, 1)]
            builder.emit("vvadd", [F32], places, n=LENGTH)

    return _program(fill, size=3 * BYTES * COUNT)


def _vector(halts: Work, rows: int, cols: int) -> Pair:
    """One vector through the crossbars of a group, whose inputs and outputs lie apart."""
    group = GroupSpec(F32, F32, F32, _tiles(rows), _tiles(cols))
    weights = np.random.default_rng(0).standard_normal((rows, group.padded_cols)).astype(np.float32)

    def fill(builder: SectionBuilder) -> None:
        for k in range(COUNT):
            places = [Address(4 * (rows * COUNT + cols * k)), Address(4 * rows * k)]
            builder.emit("mvmul", [F32, F32], places, group=0)

    x, y = np.zeros((COUNT, rows), np.float32), np.zeros((COUNT, cols), np.float32)
    own = np.ascontiguousarray(weights[:, :cols])

    def bare() -> None:
        for k in range(COUNT):
            np.matmul(x[k], own, out=y[k])

    program = _program(fill, (group,), 4 * COUNT * (rows + cols))
    what = f"`mvmul` of one vector, {rows} x {cols}, in a straight run; bare: the BLAS's `gemv`"
    return Pair(f"vector-{rows}-{cols}", what, COUNT, one_sample(program, [weights]), bare, halts)


def _tiles(length: int, of: int = 128) -> tuple[int, ...]:
    return tuple(min(of, length - begin) for begin in range(0, length, of))
