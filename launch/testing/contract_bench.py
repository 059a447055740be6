"""What cases of the contract do with a device: crossbars beside models of what they hold, products, and verdicts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from emu.arch import Arch
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec
from launch.devices.crossbar import Crossbar, Future
from launch.devices.device import Device
from launch.devices.failures import DeviceError
from launch.devices.types import RESULTS

Types = tuple[DType, DType, DType]  # of vectors, weights, results
MOST = 1000  # of integers whose sums no type of results cuts off
UNIT = {DType.f32: 2.0**-24, DType.f16: 2.0**-11}  # half a unit in the last place, relative


class ContractBroken(Exception):
    """The contract is broken; the text says how."""


class Skip(Exception):
    """The case means nothing here; the text says why."""


def plain_types(held: DType) -> Types:
    """The types of a crossbar that is acquired with that of its weights alone."""
    return held, held, RESULTS.get(held, held)


def full_scale(dtype: DType) -> float:
    """The largest value that cases use."""
    return 1.0 if dtype.is_float else float(min(np.iinfo(dtype.numpy).max, MOST))


def rounding(size: np.ndarray, spec: GroupSpec) -> np.ndarray:
    """By how much floats may be off: 2 gamma_K `size` for K rows, where `size` is sum |x||w| and |start|.

    Sums are of f32; results of f16 are rounded once more.
    """
    gamma = spec.rows * UNIT[DType.f32] / (1 - spec.rows * UNIT[DType.f32])
    return 2 * gamma * size + (UNIT[DType.f16] * size + 2.0**-25 if spec.output is DType.f16 else 0)


def read_all(crossbar: Crossbar) -> np.ndarray:
    """What the cells read, f64 [rows, cols], by one unit vector per row."""
    unit = np.eye(crossbar.rows, dtype=crossbar.spec.input.numpy)
    return crossbar.gemm(unit).result().astype(np.float64)


@dataclass(frozen=True, eq=False)
class ExpectedProduct:
    """A product under way: what it should be, exactly (f64 or integers), and what it could be at most."""

    future: Future
    value: np.ndarray
    bound: np.ndarray  # of the rounding of floats
    scale: np.ndarray  # sum |x| full scale + |start|: what deviations are a share of
    held: HeldMatrix

    def result(self) -> np.ndarray:
        """The product, after a look whether it is right; raises ContractBroken."""
        return self.held.bench.judge(self)


class HeldMatrix:
    """A crossbar, and the matrix that it should hold."""

    def __init__(self, bench: Bench, crossbar: Crossbar) -> None:
        self.bench, self.crossbar, self.spec = bench, crossbar, crossbar.spec
        self.matrix = np.zeros((crossbar.rows, crossbar.cols), crossbar.spec.weight.numpy)
        self.sound = np.ones(crossbar.cols, np.bool_)  # columns without cells that are stuck

    def write(self, matrix: Any = None) -> HeldMatrix:
        """Write a matrix, or random values."""
        values = self.bench.values(self.spec.weight, *self.matrix.shape) if matrix is None else matrix
        self.crossbar.write(values)
        self.matrix[:] = values
        return self

    def fill(self, share: float) -> None:
        """Write one value, a share of full scale, to every cell."""
        value = np.asarray(share * full_scale(self.spec.weight)).astype(self.matrix.dtype)
        self.write(np.full(self.matrix.shape, value))

    def write_rows(self, row: int, count: int) -> None:
        """Write random values to some rows."""
        values = self.bench.values(self.spec.weight, count, self.spec.cols)
        self.crossbar.write_rows(row, values)
        self.matrix[row : row + count] = values

    def gemm(self, vectors: int = 3, x: np.ndarray | None = None, start: Any = None) -> ExpectedProduct:
        """Multiply random vectors, or `x`; `start` is an array, or another product."""
        x = self.bench.values(self.spec.input, vectors, self.spec.rows) if x is None else x
        added = start.future if isinstance(start, ExpectedProduct) else start
        future = (self.crossbar.gemv if x.ndim == 1 else self.crossbar.gemm)(x, added)
        wide = np.float64 if self.spec.output.is_float else np.int64
        value = x.astype(wide) @ self.matrix.astype(wide)  # integers wrap
        magnitude = np.abs(x.astype(np.float64))
        size = magnitude @ np.abs(self.matrix.astype(np.float64))
        scale = magnitude.sum(axis=-1, keepdims=True) * full_scale(self.spec.weight) + np.zeros_like(size)
        before = np.zeros(())
        if isinstance(start, ExpectedProduct):
            value, scale, before = value + start.value, scale + start.scale, start.bound
            size = size + np.abs(start.value) + before
        elif start is not None:
            value = value + start.astype(wide)
            size, scale = (part + np.abs(start.astype(np.float64)) for part in (size, scale))
        return ExpectedProduct(future, value, before + rounding(size, self.spec), scale, self)


class Bench:
    """A device for one case. With a tolerance, results in columns of cells that are stuck are not looked at."""

    def __init__(self, powered: Device, seed: int, types: Types, tolerance: float | None, stuck: float) -> None:
        self.device, self.types, self.tolerance = powered, types, tolerance
        self.worst = 0.0  # of all deviations so far
        self._rng = np.random.default_rng(seed)
        self._stuck, self._crossbars = stuck, list[Crossbar]()

    @property
    def arch(self) -> Arch:
        """The chip."""
        return self.device.arch

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of weights of one crossbar."""
        return self.arch.crossbar.rows, self.arch.columns(self.types[1])

    def take(self, rows: int, cols: int) -> Crossbar:
        """Crossbars for a matrix of the types of this case."""
        given, weight, made = (kind.name for kind in self.types)
        crossbar = self.device.acquire(rows, cols, weight, inputs=given, outputs=made)
        self._crossbars.append(crossbar)
        return crossbar

    def give_back(self) -> None:
        """Release what is held, and wait until that is done; raises EmuErrors of a device that has ended."""
        self.device.usable()
        for crossbar in self._crossbars:
            with suppress(DeviceError):  # it was released before
                crossbar.release()
        self.device.barrier()

    def acquire(self, rows: int, cols: int) -> HeldMatrix:
        """Crossbars for a matrix; those of a board that may have cells that are stuck are looked at first."""
        held = HeldMatrix(self, self.take(rows, cols))
        if self.tolerance is not None and self._stuck:
            held.fill(1)
            high = read_all(held.crossbar)
            held.fill(-1 if self.types[1].is_signed else 0)
            held.sound = (high - read_all(held.crossbar) >= full_scale(self.types[1]) / 2).all(axis=0)
        return held

    def values(self, dtype: DType, *shape: int) -> np.ndarray:
        """Random values up to full scale, of both signs where the type has them."""
        low = -1.0 if dtype.is_signed else 0.0
        made = self._rng.uniform(low, 1, shape) * full_scale(dtype)
        return (made if dtype.is_float else np.rint(made)).astype(dtype.numpy)

    def bits(self, dtype: DType, *shape: int) -> np.ndarray:
        """Random integers of all bits of a type."""
        limits = np.iinfo(dtype.numpy)
        return self._rng.integers(limits.min, limits.max, shape, dtype.numpy, endpoint=True)

    def judge(self, product: ExpectedProduct) -> np.ndarray:
        """The result; raises ContractBroken unless it is right."""
        result, spec = product.future.result(), product.held.spec
        if self.tolerance is not None:
            self._deviation(product, result)
        elif spec.output.is_float:
            _within(np.abs(result - product.value), product.bound, result, product)
        else:
            _within(result != product.value.astype(spec.output.numpy), np.zeros(()), result, product)
        return result

    def _deviation(self, product: ExpectedProduct, result: np.ndarray) -> None:
        sound, tolerance = product.held.sound, self.tolerance or 0.0
        apart = np.where(sound, np.abs(result.astype(np.float64) - product.value), 0.0)
        share = np.divide(apart, product.scale, out=apart.copy(), where=product.scale > 0)
        self.worst = max(self.worst, float(share.max(initial=0)))
        _within(share, np.asarray(tolerance), result, product)


def _within(apart: np.ndarray, bound: np.ndarray, result: np.ndarray, product: ExpectedProduct) -> None:
    bad = ~(apart <= bound)  # what is no number is no better
    if not bad.any():
        return
    at = tuple(int(index[0]) for index in np.nonzero(bad))
    wanted = product.value[at]
    raise ContractBroken(
        f"{int(bad.sum())} of {bad.size} results are wrong, the first at {list(at)}: {result[at]} in place of {wanted}"
    )
