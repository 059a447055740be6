"""Sessions with a device, drawn at random: calls in any order, played on any back end, with what they may differ by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from emu.isa.dtypes import NUMBERS, DType
from emu.program.group import group_types_fit
from launch.devices.crossbar import Crossbar, Future
from launch.devices.device import Device
from launch.devices.failures import DeviceError

MOST_CROSSBARS, STEPS = 8, (6, 18)
ANY = 95  # indices from here on name any crossbar, smaller ones those in use, if there are some
NARROW = 1 << 20  # integers that meet floats are below it: those are exact, and so are sums of their products
TYPES = [
    (given, held, made)
    for given in sorted(NUMBERS)
    for held in sorted(NUMBERS)
    for made in sorted(NUMBERS)
    if group_types_fit(given, held, made)
]
PLAIN = [  # types that callers who name one only have, and so most often
    (DType.f32, DType.f32, DType.f32),
    (DType.i8, DType.i8, DType.i32),
    (DType.i64, DType.i64, DType.i64),
    (DType.f16, DType.f16, DType.f16),
]

indices, seeds = st.integers(0, 99), st.integers(0, 2**16)
sizes = st.integers(1, 16) | st.sampled_from([16, 17, 31, 32, 33, 48])
heights = st.sampled_from([0, 1, 1, 2, 3, 5, 13])


@dataclass(frozen=True)
class Step:
    """A call: its name among `CALLS`, and its arguments. Numbers of what exists are taken modulo how much does."""

    name: str
    given: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.name}{self.given}"


Session = tuple[list[Step], list[Step]]  # it acquires some crossbars, then goes on in any order


def step(name: str, *given: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(*given).map(lambda values: Step(name, values))


acquires = step("acquire", sizes, sizes, st.sampled_from(PLAIN) | st.sampled_from(TYPES), seeds, st.integers(0, 5))
products = step("product", indices, heights, st.sampled_from(["none", "array", "future"]), indices, seeds)
# With how often each is drawn, of all.
steps = st.sampled_from(
    [acquires]
    + 8 * [products]
    + 2 * [step("write", indices, seeds)]
    + 2 * [step("rows", indices, indices, st.integers(0, 20), seeds)]
    + 2 * [step("wait", indices)]
    + [step("barrier", st.lists(indices, max_size=3)), step("release", indices)]
).flatmap(lambda drawn: drawn)
sessions = st.tuples(st.lists(acquires, min_size=1, max_size=3), st.lists(steps, min_size=STEPS[0], max_size=STEPS[1]))


@dataclass
class Product:
    """A product under way: what it will be, with `bound` per element (floats; integers: 0), and whether a vector."""

    future: Future
    bound: np.ndarray
    magnitude: np.ndarray  # of what the results can be, at most


@dataclass
class Player:
    """Makes the calls of a session; `told` are the sentences of those that were refused, by number of the step."""

    device: Device
    crossbars: list[Crossbar | None] = field(default_factory=list)
    matrices: list[np.ndarray] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    told: dict[int, str] = field(default_factory=dict)

    def play(self, session: Session) -> list[np.ndarray]:
        """All results, in the order of the calls; what was acquired is released at the end."""
        for number, step in enumerate([*session[0], *session[1]]):
            try:
                CALLS[step.name](self, *step.given)
            except DeviceError as error:
                self.told[number] = str(error)
        results = [product.future.result() for product in self.products]
        for crossbar in filter(None, self.crossbars):
            if not crossbar.released:
                crossbar.release()
        return results

    def crossbar(self, index: int) -> int:
        used = [number for number, held in enumerate(self.crossbars) if held and not held.released]
        return used[index % len(used)] if used and index < ANY else index % len(self.crossbars)

    def acquire(self, rows: int, cols: int, types: tuple[DType, DType, DType], seed: int, written: int) -> None:
        if len(self.crossbars) == MOST_CROSSBARS:
            return
        given, held, made = types
        self.crossbars.append(None)
        self.matrices.append(np.zeros((rows, cols), held.numpy))
        self.crossbars[-1] = self.device.acquire(rows, cols, held.name, inputs=given.name, outputs=made.name)
        if written:
            self.write(len(self.crossbars) - 1, seed)

    def write(self, index: int, seed: int) -> None:
        if crossbar := self.crossbars[number := self.crossbar(index)]:
            matrix = values(seed, crossbar.spec.weight, self.matrices[number].shape, mixed(crossbar))
            crossbar.write(matrix)
            self.matrices[number][:] = matrix

    def rows(self, index: int, row: int, count: int, seed: int) -> None:
        if crossbar := self.crossbars[number := self.crossbar(index)]:
            row %= crossbar.rows
            shape = (min(count, crossbar.rows - row), crossbar.cols)
            matrix = values(seed, crossbar.spec.weight, shape, mixed(crossbar))
            crossbar.write_rows(row, matrix)
            self.matrices[number][row : row + len(matrix)] = matrix

    def product(self, index: int, height: int, start: str, other: int, seed: int) -> None:
        if not (crossbar := self.crossbars[number := self.crossbar(index)]):
            return
        spec, vector = crossbar.spec, height == 0
        box = () if vector else (height,)
        x = values(seed, spec.input, (*box, spec.rows), mixed(crossbar))
        added: Any = None
        magnitude = bound = np.zeros((*box, spec.cols))
        if start == "array":
            added = values(seed + 1, spec.output, (*box, spec.cols), mixed(crossbar))
            magnitude = np.abs(added.astype(np.float64))
        elif start == "future" and (fitting := self._fitting(crossbar, (*box, spec.cols))):
            before = fitting[other % len(fitting)]
            added, magnitude, bound = before.future, before.magnitude, before.bound
        multiply = crossbar.gemv if vector else crossbar.gemm
        future = multiply(x, added)
        size = np.abs(x.astype(np.float64)) @ np.abs(self.matrices[number].astype(np.float64)) + magnitude
        self.products.append(Product(future, bound + rounding(size, spec.rows, spec.output), size))

    def _fitting(self, crossbar: Crossbar, shape: tuple[int, ...]) -> list[Product]:
        """Products that may be added to others of this one."""
        output = crossbar.spec.output
        return [p for p in self.products if p.bound.shape == shape and p.future.crossbar.spec.output == output]

    def wait(self, index: int) -> None:
        if self.products:
            self.products[index % len(self.products)].future.result()

    def barrier(self, which: list[int]) -> None:
        if self.products:
            self.device.barrier(*(self.products[index % len(self.products)].future for index in which))

    def release(self, index: int) -> None:
        if crossbar := self.crossbars[self.crossbar(index)]:
            crossbar.release()


CALLS: dict[str, Callable[..., None]] = {
    name: getattr(Player, name) for name in ("acquire", "write", "rows", "product", "wait", "barrier", "release")
}


def mixed(crossbar: Crossbar) -> bool:
    """Whether integers become floats there."""
    kinds = (crossbar.spec.input, crossbar.spec.weight, crossbar.spec.output)
    return any(kind.is_float for kind in kinds) and not all(kind.is_float for kind in kinds)


def values(seed: int, dtype: DType, shape: tuple[int, ...], narrow: bool) -> np.ndarray:
    """Numbers of a type: integers of all its bits, unless `narrow`; floats of which no sum is infinite in f16."""
    rng = np.random.default_rng(seed)
    if dtype.is_float:
        made = rng.standard_normal(shape) * rng.choice([1.0, 1e-3, 4.0])
        return np.where(rng.random(shape) < 0.1, 0.0, made).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    low, high = (max(limits.min, -8), min(limits.max, 8)) if narrow else (limits.min, limits.max)
    return rng.integers(low, high, shape, dtype.numpy, endpoint=True)


def rounding(size: np.ndarray, rows: int, made: DType) -> np.ndarray:
    """By how much two results may differ of which the sums of magnitudes are `size`: 2 gamma_K sum |x||w| for floats.

    In f16, results are rounded once more: each by half a unit in the last place.
    """
    if not made.is_float:
        return np.zeros_like(size)
    gamma = rows * 2.0**-24 / (1 - rows * 2.0**-24)
    return 2 * gamma * size + (2.0**-10 * size + 2.0**-24 if made is DType.f16 else 0)
