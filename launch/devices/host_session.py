"""The session of one host program with a device: its keys stand for crossbars that are acquired for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from emu.errors import EmuError, InputError
from launch.devices.crossbar import Crossbar, Future
from launch.devices.device import Device
from launch.devices.failures import DeviceError
from launch.devices.host_connection import HostConnection
from launch.devices.wire import TYPES, DamagedFrame, DeviceFrame, DeviceFrameKind, error

MOST_OPEN = 1 << 30  # bytes of vectors and results that wait for a barrier
MOST_PRODUCTS = 1 << 18  # that do so
MOST_SKIPPED = 1 << 32  # bytes of rejected elements that are read, to reach the next frame

DONE = DeviceFrame(DeviceFrameKind.DONE).packed()


@dataclass(slots=True)
class _Open:
    """The products of a key that no barrier has asked for yet; after a fault they are of no use."""

    products: list[tuple[DeviceFrame, Future]] = field(default_factory=list[tuple[DeviceFrame, Future]])
    fault: InputError | None = None
    requests: int = 0
    bytes: int = 0


class HostSession:
    """From the greeting of a host to its end, at which all its crossbars are free again."""

    def __init__(self, device: Device, connection: HostConnection) -> None:
        self._device, self._connection = device, connection
        self._crossbars = dict[int, tuple[int, Crossbar]]()  # by key, with the number of the type
        self._open, self._waiting, self._bytes = dict[int, _Open](), 0, 0  # and what all of them have
        self._requests = {
            DeviceFrameKind.WRITE: self._write,
            DeviceFrameKind.MULTIPLY: self._multiply,
            DeviceFrameKind.BARRIER: self._barrier,
            DeviceFrameKind.RELEASE: self._release,
        }

    def serve(self) -> None:
        """Greet the host and serve its requests; raises HostGone at its end, DamagedFrame, and what ends the device."""
        self._connection.send(DONE)
        while True:
            frame = self._connection.frame()
            try:
                for part in self._requests[frame.operation](frame):
                    self._connection.send(part)
            except InputError as refusal:
                self._connection.send(error(str(refusal), refusal.exit_code))

    def close(self) -> None:
        """Release all crossbars; products under way are finished and dropped."""
        with contextlib.suppress(EmuError):  # a device that has failed cannot release
            for _, crossbar in self._crossbars.values():
                crossbar.release()
        self._crossbars.clear()
        self._open.clear()

    def _write(self, frame: DeviceFrame) -> Iterator[bytes]:
        name, dtype = TYPES[frame.type]
        try:
            crossbar = self._acquired(frame, name)
        except DeviceError:
            self._skip(frame)
            raise
        crossbar.write(self._connection.array((frame.rows, frame.cols), dtype))
        yield DONE

    def _acquired(self, frame: DeviceFrame, name: str) -> Crossbar:
        """The crossbar of a key, of the size and type of what is to be written there; raises DeviceError."""
        kind, held = self._crossbars.get(frame.key, (0, None))
        if held is not None and (kind, held.rows, held.cols) == (frame.type, frame.rows, frame.cols):
            return held
        if held is not None:
            del self._crossbars[frame.key]
            held.release()
        if not (frame.rows and frame.cols):
            raise DeviceError(f"a matrix of {frame.rows} x {frame.cols} for {frame.name} has nothing to write")
        core, size = self._device.arch.core, self._device.arch.crossbar
        most = core.crossbars * max(size.rows, size.cols)
        if max(frame.rows, frame.cols) > most:  # before anything is made of these sizes
            raise DeviceError(
                f"a matrix of {frame.rows} x {frame.cols} for {frame.name} is larger than a core of"
                f" {self._device.arch.name}, which has {core.crossbars} crossbars of {size.rows} x {size.cols}"
            )
        fresh = self._device.acquire(frame.rows, frame.cols, name, outputs=name)
        self._crossbars[frame.key] = frame.type, fresh
        return fresh

    def _multiply(self, frame: DeviceFrame) -> Iterator[bytes]:
        """Nothing is answered: a fault is kept for the barrier."""
        waiting = self._open.setdefault(frame.key, _Open())
        if self._waiting >= MOST_PRODUCTS:
            raise DamagedFrame(f"more than {MOST_PRODUCTS} products wait for a barrier")
        waiting.requests += 1
        self._waiting += 1
        try:
            waiting.fault = waiting.fault or self._fault(frame)
            if waiting.fault is None:
                waiting.products.append((frame, self._product(frame, waiting)))
            else:
                self._skip(frame)
        except InputError as fault:
            waiting.fault = fault
        yield from ()

    def _fault(self, frame: DeviceFrame) -> DeviceError | None:
        """What is wrong with a product, before its elements are read."""
        kind, crossbar = self._crossbars.get(frame.key, (0, None))
        if crossbar is None:
            return DeviceError(f"a product with {frame.name} comes before its matrix: write one first")
        if (kind, crossbar.rows, crossbar.cols) != (frame.type, frame.cols, frame.width):
            return DeviceError(
                f"{frame.name} holds {crossbar.rows} x {crossbar.cols} {TYPES[kind][0]}, and is given vectors of"
                f" {frame.cols} {TYPES[frame.type][0]} for results of {frame.width}"
            )
        if self._bytes + _bytes_of(frame) > MOST_OPEN:
            return DeviceError(
                f"with this product of {frame.name} more than {MOST_OPEN} bytes wait for a barrier: call one before"
            )
        return None

    def _product(self, frame: DeviceFrame, waiting: _Open) -> Future:
        dtype = TYPES[frame.type][1]
        vectors = self._connection.array((frame.rows, frame.cols), dtype)
        start = self._connection.array((frame.rows, frame.width), dtype) if frame.accumulates else None
        waiting.bytes += _bytes_of(frame)
        self._bytes += _bytes_of(frame)
        return self._crossbars[frame.key][1].gemm(vectors, start)

    def _barrier(self, frame: DeviceFrame) -> Iterator[bytes | memoryview]:
        waiting = self._open.pop(frame.key, None) or _Open()
        self._waiting -= waiting.requests
        self._bytes -= waiting.bytes
        if waiting.fault is not None:
            raise waiting.fault.with_traceback(None)
        results = [(asked, np.ascontiguousarray(future.result())) for asked, future in waiting.products]
        for asked, result in results:
            length = result.nbytes
            yield DeviceFrame(
                DeviceFrameKind.RESULT, asked.type, 0, asked.key, asked.rows, asked.width, 0, length
            ).packed()
            yield memoryview(result.reshape(-1)).cast("B") if length else b""
        yield DONE

    def _release(self, frame: DeviceFrame) -> Iterator[bytes]:
        _, held = self._crossbars.pop(frame.key, (0, None))
        if held is not None:
            held.release()
        yield DONE

    def _skip(self, frame: DeviceFrame) -> None:
        if frame.length > MOST_SKIPPED:
            raise DamagedFrame(
                f"a {frame.operation.name} request brings {frame.length} bytes, more than any device takes"
            )
        self._connection.skip(frame.length)


def _bytes_of(frame: DeviceFrame) -> int:
    """Of a product that waits: what it is given, and its result."""
    return frame.length + frame.rows * frame.width * TYPES[frame.type][1].itemsize
