"""Crossbars of a device that a program has acquired, and the results of products that are under way."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from emu.program.group import GroupSpec
from launch.devices.calls import DeviceCall
from launch.devices.counters import DeviceCounts
from launch.devices.failures import DeviceError
from launch.devices.journal import JournalEntry
from launch.devices.types import array_of


class CrossbarOwner(Protocol):
    """The device, as its crossbars and futures use it."""

    def call(self, core: int, call: DeviceCall, row: int = 0) -> tuple[JournalEntry, DeviceCall]:
        """Note a call, and let it be made."""
        ...

    def wait(self, call: DeviceCall, entry: JournalEntry) -> None:
        """Wait until `call` is done."""
        ...

    def give_back(self, crossbar: Crossbar, group: int) -> None:
        """Release a group."""
        ...

    def value_of(self, given: Any) -> Any:
        """An array, or the result of a future of this device."""
        ...

    def usable(self) -> None:
        """Raise unless the device is on and has not failed."""
        ...


class Future:
    """The result of a product: `result` waits for it. It belongs to the device that makes it."""

    def __init__(self, crossbar: Crossbar, call: DeviceCall, entry: JournalEntry, vector: bool) -> None:
        self.crossbar = crossbar
        self._call, self._entry, self._vector = call, entry, vector

    @property
    def device(self) -> CrossbarOwner:
        """The device that makes it."""
        return self.crossbar.device

    def done(self) -> bool:
        """Whether the result is there, without waiting."""
        return self._call.done

    def result(self) -> np.ndarray:
        """The product, [m, cols], or [cols] of one vector; raises what has ended the device, if it came first."""
        self.device.wait(self._call, self._entry)
        value = self._call.value
        return value[0].copy() if self._vector else value.copy()


class Crossbar:
    """An array group of some core, which holds a matrix [rows, cols]; made by `Device.acquire`."""

    def __init__(self, device: CrossbarOwner, number: int, core: int, group: int, spec: GroupSpec) -> None:
        self.device, self.number, self.core, self.spec = device, number, core, spec
        self.counters = DeviceCounts()
        self._group, self.released = group, False
        self._written, self._whole = np.zeros(spec.rows, np.bool_), False

    def __str__(self) -> str:
        return f"crossbar {self.number}"

    @property
    def rows(self) -> int:
        """The number of rows of the matrix."""
        return self.spec.rows

    @property
    def cols(self) -> int:
        """The number of columns of the matrix."""
        return self.spec.cols

    def write(self, matrix: Any) -> None:
        """Write the whole `matrix` [rows, cols]; returns when it is there. Raises DeviceError for one of another size.

        Products that were called before it are made with what stood there.
        """
        self._write(0, array_of(matrix, self.spec.weight, f"the matrix for {self}"), (self.rows, self.cols))

    def write_rows(self, row: int, matrix: Any) -> None:
        """Write `matrix` [n, cols] to the rows from `row` on; the others stay. Otherwise as `write`."""
        values = array_of(matrix, self.spec.weight, f"the matrix for {self}")
        if not isinstance(row, int | np.integer) or isinstance(row, bool) or not 0 <= row < self.rows:
            raise DeviceError(f"{self} has no row {row!r}: it has {self.rows}")
        self._write(int(row), values, (min(len(values), self.rows - row) if values.ndim else 0, self.cols))

    def gemm(self, vectors: Any, accumulate: Any = None) -> Future:
        """`vectors` [m, rows] times the matrix, [m, cols], added to `accumulate`, if that is given.

        Returns at once; products of one crossbar are made in order. `accumulate` is an array, or a future of this
        device. Raises DeviceError for other sizes, and before every row is written.
        """
        return self._multiply(vectors, accumulate, vector=False)

    def gemv(self, vector: Any, accumulate: Any = None) -> Future:
        """`gemm` of one `vector` [rows]: a result [cols]."""
        return self._multiply(vector, accumulate, vector=True)

    def release(self) -> None:
        """Release the crossbars, after all earlier calls; this object cannot be used any more."""
        self._usable()
        self.released = True
        self.device.give_back(self, self._group)

    def _usable(self) -> None:
        self.device.usable()
        if self.released:
            raise DeviceError(f"{self} is released: acquire another one")

    def _write(self, row: int, values: np.ndarray, fits: tuple[int, int]) -> None:
        self._usable()
        if values.shape != fits:
            larger = values.ndim == 2 and (values.shape[0] > self.rows - row or values.shape[1] > self.cols)
            at = f" from row {row} on" if row else ""
            raise DeviceError(
                f"{self} is {self.rows} x {self.cols}, and the matrix for it{at} is"
                f" {' x '.join(map(str, values.shape)) or 'a single value'}"
                + (", which is larger: acquire as much as it takes, or write it in tiles" if larger else "")
            )
        if not len(values):
            return
        entry, call = self.device.call(self.core, DeviceCall("write", self._group, str(self), (row, values)), row)
        self._written[row : row + len(values)] = True
        self._whole = self._whole or bool(self._written.all())
        self.counters.wrote(*values.shape, values.nbytes)
        self.device.wait(call, entry)

    def _multiply(self, given: Any, accumulate: Any, *, vector: bool) -> Future:
        self._usable()
        spec, what = self.spec, f"the {'vector' if vector else 'matrix of vectors'} for {self}"
        vectors = self._sized(array_of(given, spec.input, what), spec.rows, what, vector)
        start = None
        if accumulate is not None:
            what = f"what the product of {self} is added to"
            value = self.device.value_of(accumulate)
            start = self._sized(array_of(value, spec.output, what), spec.cols, what, vector)
            if len(start) != len(vectors):
                raise DeviceError(f"{what} has {len(start)} rows, and the product {len(vectors)}")
        if not self._whole:
            missing = np.flatnonzero(~self._written)
            which = "no row of it" if len(missing) == self.rows else f"row {missing[0]}"
            verb = "is" if len(missing) == self.rows else "of it is not"
            raise DeviceError(f"a product with {self} comes before its matrix: {which} {verb} written")
        wanted = (len(vectors), spec.cols), spec.output.numpy
        entry, call = self.device.call(
            self.core, DeviceCall("multiply", self._group, str(self), (vectors, start), wanted)
        )
        self.counters.multiplied(len(vectors), vectors.nbytes + (0 if start is None else start.nbytes), spec)
        return Future(self, call, entry, vector)

    def _sized(self, array: np.ndarray, size: int, what: str, vector: bool) -> np.ndarray:
        """`array` as [m, size]; raises DeviceError."""
        fits = array.ndim == (1 if vector else 2) and array.shape[-1] == size
        if not fits:
            wanted = f"[{size}]" if vector else f"[m, {size}]"
            raise DeviceError(f"{what} is {list(array.shape)}, and has to be {wanted}")
        return array.reshape(-1, size)
