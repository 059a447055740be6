"""A host of a device that speaks in frames, without the library: light, as host programs of tests import it."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np

from launch.devices.wire import ACCUMULATE, HEADER, TYPES, DeviceFrame, DeviceFrameKind, answer

NUMBERS = {name: number for number, (name, _) in TYPES.items()}
PATIENCE = 20.0


class FrameHost:
    """A host that sends what it is told; its matrices are arrays, and their types those of TYPES."""

    def __init__(self, path: Path, greeted: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        if greeted:
            assert self.answer() == (DeviceFrameKind.DONE, 0, b"")

    def __enter__(self) -> FrameHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, frame: DeviceFrame, content: bytes = b"") -> None:
        self.socket.sendall(frame.packed() + content)

    def answer(self) -> tuple[DeviceFrameKind, int, bytes]:
        """What the next answer is, its flags, and what is behind it."""
        frame = answer(self._read(HEADER.size))
        return frame.operation, frame.flags, self._read(frame.length)

    def refusal(self) -> str:
        operation, code, text = self.answer()
        assert (operation, code) == (DeviceFrameKind.ERROR, 2)
        return text.decode()

    def write(self, key: int, matrix: np.ndarray, kind: str) -> None:
        rows, cols = matrix.shape
        self.send(
            DeviceFrame(DeviceFrameKind.WRITE, NUMBERS[kind], 0, key, rows, cols, 0, matrix.nbytes), matrix.tobytes()
        )

    def multiply(self, key: int, vectors: np.ndarray, kind: str, width: int, start: np.ndarray | None = None) -> None:
        flags, behind = (0, b"") if start is None else (ACCUMULATE, start.tobytes())
        rows, cols = vectors.shape
        length = vectors.nbytes + len(behind)
        self.send(
            DeviceFrame(DeviceFrameKind.MULTIPLY, NUMBERS[kind], flags, key, rows, cols, width, length),
            vectors.tobytes() + behind,
        )

    def barrier(self, key: int) -> None:
        self.send(DeviceFrame(DeviceFrameKind.BARRIER, key=key))

    def results(self, kind: str) -> list[np.ndarray]:
        """Those of a barrier, flat."""
        found = []
        while (got := self.answer())[0] == DeviceFrameKind.RESULT:
            found.append(np.frombuffer(got[2], TYPES[NUMBERS[kind]][1]))
        assert got[0] == DeviceFrameKind.DONE, got
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
