"""Hosts of a device, for tests: one that speaks in frames, a server for it, and C programs with the library."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from launch.devices.device import Device, device
from launch.devices.host.library import compiler
from launch.devices.serving import serving
from launch.devices.wire import ACCUMULATE, HEADER, TYPES, Frame, FrameKind, answer

ROOT = Path(__file__).parents[2]
NUMBERS = {name: number for number, (name, _) in TYPES.items()}
TYPES_OF_C = dict(TYPES.values())
PATIENCE = 20.0
HAS_COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0]) is not None
needs_compiler = pytest.mark.skipif(not HAS_COMPILER, reason="no C compiler here")


class FrameHost:
    """A host that sends what it is told; its matrices are arrays, and their types those of TYPES."""

    def __init__(self, path: Path, greeted: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        if greeted:
            assert self.answer() == (FrameKind.DONE, 0, b"")

    def __enter__(self) -> FrameHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, frame: Frame, content: bytes = b"") -> None:
        self.socket.sendall(frame.packed() + content)

    def answer(self) -> tuple[FrameKind, int, bytes]:
        """What the next answer is, its flags, and what is behind it."""
        frame = answer(self._read(HEADER.size))
        return frame.operation, frame.flags, self._read(frame.length)

    def refusal(self) -> str:
        operation, code, text = self.answer()
        assert (operation, code) == (FrameKind.ERROR, 2)
        return text.decode()

    def write(self, key: int, matrix: np.ndarray, kind: str) -> None:
        rows, cols = matrix.shape
        self.send(Frame(FrameKind.WRITE, NUMBERS[kind], 0, key, rows, cols, 0, matrix.nbytes), matrix.tobytes())

    def multiply(self, key: int, vectors: np.ndarray, kind: str, width: int, start: np.ndarray | None = None) -> None:
        flags, behind = (0, b"") if start is None else (ACCUMULATE, start.tobytes())
        rows, cols = vectors.shape
        length = vectors.nbytes + len(behind)
        self.send(
            Frame(FrameKind.MULTIPLY, NUMBERS[kind], flags, key, rows, cols, width, length), vectors.tobytes() + behind
        )

    def barrier(self, key: int) -> None:
        self.send(Frame(FrameKind.BARRIER, key=key))

    def results(self, kind: str) -> list[np.ndarray]:
        """Those of a barrier, flat."""
        found = []
        while (got := self.answer())[0] == FrameKind.RESULT:
            found.append(np.frombuffer(got[2], TYPES[NUMBERS[kind]][1]))
        assert got[0] == FrameKind.DONE, got
        return found

    def hung_up(self) -> bool:
        """Whether the other end has."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True

    def _read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            part = self.socket.recv(size - len(content))
            if not part:
                raise EOFError
            content += part
        return content


@contextmanager
def served(folder: Path, backend: str = "sequential", arch: str = "tiny", cores: int = 2) -> Iterator[Served]:
    """A device that another thread serves."""
    path = folder / "device"
    with device(arch, cores, backend=backend) as chip, serving(chip, path) as server:
        one = Served(chip, path)
        reader, writer = os.pipe()

        def run() -> None:
            try:
                server.serve(reader)
            except BaseException as error:
                one.error = error

        one.thread = threading.Thread(target=run)
        one.thread.start()
        try:
            yield one
        finally:
            os.close(writer)  # as if the host program had ended
            one.thread.join(PATIENCE)
            os.close(reader)
            assert not one.thread.is_alive()


class Served:
    """The device, its socket, and what has ended its server."""

    thread: threading.Thread
    error: BaseException | None = None

    def __init__(self, chip: Device, path: Path) -> None:
        self.chip, self.path = chip, path

    @property
    def free(self) -> list[int]:
        return [bank.free for bank in self.chip.banks]


@cache
def library(folder: Path) -> Path:
    """The library, built into `folder`."""
    from launch.devices.host.library import build_library

    return build_library(folder)[0]


def compiled(source: Path, folder: Path, program: Path) -> Path:
    """A program of the library in `folder`, without a warning."""
    library(folder)
    words = [*compiler(), "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{folder}", str(source), "-o", str(program)]
    subprocess.run([*words, f"-L{folder}", "-lemu_device", f"-Wl,-rpath,{folder}"], check=True)
    return program
