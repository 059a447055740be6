"""The points of the contract about calls that mean nothing: the device refuses them, and the board never knows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from launch.devices.failures import DeviceError
from launch.testing.contract_bench import Bench, ContractBroken, HeldMatrix
from launch.testing.contract_cases import Check


def released(bench: Bench, held: HeldMatrix) -> None:
    """A product with a crossbar that was given back."""
    other = bench.acquire(2, 2).write()
    other.crossbar.release()
    other.gemm(1)


def written_after_release(bench: Bench, held: HeldMatrix) -> None:
    """A write to a crossbar that was given back."""
    other = bench.acquire(2, 2)
    other.crossbar.release()
    other.write()


def too_large(bench: Bench, held: HeldMatrix) -> None:
    """A matrix with a row more."""
    rows, cols = held.matrix.shape
    held.crossbar.write(np.zeros((rows + 1, cols), held.matrix.dtype))


def beyond_the_end(bench: Bench, held: HeldMatrix) -> None:
    """Rows that end behind the last one."""
    held.crossbar.write_rows(held.crossbar.rows - 1, np.zeros((2, held.crossbar.cols), held.matrix.dtype))


def long_vector(bench: Bench, held: HeldMatrix) -> None:
    """A vector with an element more."""
    held.crossbar.gemv(np.zeros(held.crossbar.rows + 1, held.spec.input.numpy))


def not_written(bench: Bench, held: HeldMatrix) -> None:
    """A product with a crossbar that holds nothing."""
    fresh = bench.take(2, 2)
    fresh.gemv(np.zeros(2, fresh.spec.input.numpy))


def other_dtype(bench: Bench, held: HeldMatrix) -> None:
    """Weights of another type."""
    held.crossbar.write(np.zeros(held.matrix.shape, np.float64))


def other_vectors(bench: Bench, held: HeldMatrix) -> None:
    """Vectors of another type."""
    held.crossbar.gemv(np.zeros(held.crossbar.rows, np.float64))


def none_free(bench: Bench, held: HeldMatrix) -> None:
    """More crossbars than a core has."""
    rows, _ = bench.tile
    bench.acquire(rows * (bench.arch.core.crossbars + 1), 1)


REFUSED: dict[str, Callable[[Bench, HeldMatrix], None]] = {
    "product after release": released,
    "write after release": written_after_release,
    "matrix too large": too_large,
    "rows beyond the end": beyond_the_end,
    "vector too long": long_vector,
    "product before write": not_written,
    "weights of another type": other_dtype,
    "vectors of another type": other_vectors,
    "no crossbar free": none_free,
}


def check_refused(call: Callable[[Bench, HeldMatrix], None]) -> Check:
    """The case of such a call: it raises DeviceError, and what another crossbar holds and does stays right."""

    def check(bench: Bench) -> None:
        held = bench.acquire(3, 2).write()
        before = held.gemm(2)
        try:
            call(bench, held)
        except DeviceError:
            before.result()
            held.gemm(2).result()
        else:
            raise ContractBroken("it was not refused")

    return check


ERRORS: dict[str, tuple[str, Check]] = {
    name: ("it is refused, and disturbs nothing", check_refused(call)) for name, call in REFUSED.items()
}
