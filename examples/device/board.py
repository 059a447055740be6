"""A back end for a board at a serial line: the four methods of `launch.devices.board.Board`, and nothing more.

Here the board is `fake_board.py` at the other end of a pseudo-terminal; that of a real one is opened as a file. Options
of the program stand in the variable FAKE_BOARD. Used as

    PYTHONPATH=examples/device python -c "
    from launch.testing import device_contract
    print(device_contract('board:SerialBoard', tolerance=0.05, stuck=0.02))"
"""

from __future__ import annotations

import os
import pty
import select
import shlex
import subprocess
import sys
import time
import tty
import zlib
from pathlib import Path

import numpy as np

from emu.arch import Arch
from emu.program.group import GroupSpec

PROGRAM = Path(__file__).with_name("fake_board.py")
DEADLINE = float(os.environ.get("BOARD_DEADLINE", "5"))  # seconds for an answer


class SerialBoard:
    """The crossbars of one core, at a line of their own."""

    def __init__(self, arch: Arch, core: int) -> None:
        self._specs: dict[int, GroupSpec] = {}
        self._line, end = pty.openpty()
        tty.setraw(end)
        os.set_blocking(self._line, False)
        options = shlex.split(os.environ.get("FAKE_BOARD", ""))
        # A session of its own: the line becomes its terminal, and hanging up, however this process ends, ends it.
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "--seed", str(core), *options], stdin=end, stdout=end, start_new_session=True
        )
        os.close(end)
        self._rest = bytearray()

    def acquire(self, group: int, spec: GroupSpec) -> None:
        """Tell the board where the group stands, and its types."""
        tiles = (",".join(map(str, sizes)) for sizes in (spec.row_tiles, spec.col_tiles))
        types = (kind.numpy.str[1:] for kind in (spec.input, spec.weight, spec.output))
        self._ask(f"ACQUIRE {group} {spec.bank} {' '.join(tiles)} {' '.join(types)}")
        self._specs[group] = spec

    def write(self, group: int, row: int, values: np.ndarray) -> None:
        """Send rows."""
        self._ask(f"WRITE {group} {row} {len(values)}", values.tobytes())

    def multiply(self, group: int, vectors: np.ndarray, start: np.ndarray | None) -> np.ndarray:
        """Send vectors, and add here what comes to `start`."""
        spec = self._specs[group]
        data = self._ask(f"MULTIPLY {group} {len(vectors)}", vectors.tobytes())
        if len(data) != (wanted := len(vectors) * spec.cols * spec.output.size):
            raise ValueError(f"the board has sent {len(data)} bytes of results in place of {wanted}")
        sums = np.frombuffer(data, spec.output.numpy).reshape(len(vectors), spec.cols)
        return sums if start is None else sums + start

    def release(self, group: int) -> None:
        """Let the board forget the group."""
        del self._specs[group]
        self._ask(f"RELEASE {group}")

    def _ask(self, words: str, data: bytes | None = None) -> bytes:
        """The data of the answer; raises TimeoutError, ConnectionError, ValueError, and RuntimeError with an ERROR."""
        end = time.monotonic() + DEADLINE
        behind = b"" if data is None else data
        head = words if data is None else f"{words} {len(data)} {zlib.crc32(data):08x}"
        self._send(f"{head}\n".encode() + behind, end)
        line = self._line_of_text(end)
        match line.split():
            case ["OK", length, crc] if length.isdecimal():
                answer = self._data(int(length), end)
                if f"{zlib.crc32(answer):08x}" != crc:
                    raise ValueError("what the board has sent does not fit its checksum")
                return answer
            case ["ERROR", *sentence]:
                raise RuntimeError(f"the board says {' '.join(sentence)!r}")
            case _:
                raise ValueError(f"the board has answered {line[:40]!r}, which is no answer")

    def _send(self, content: bytes, end: float) -> None:
        while content:
            self._wait(select.POLLOUT, end)
            try:
                content = content[os.write(self._line, content) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._gone() from None

    def _line_of_text(self, end: float) -> str:
        while b"\n" not in self._rest:
            self._receive(end)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode("ascii", "replace").strip()

    def _data(self, length: int, end: float) -> bytes:
        while len(self._rest) < length:
            self._receive(end)
        data, self._rest = bytes(self._rest[:length]), self._rest[length:]
        return data

    def _receive(self, end: float) -> None:
        self._wait(select.POLLIN, end)
        try:
            self._rest += os.read(self._line, 1 << 16)
        except BlockingIOError:
            pass
        except OSError:
            raise self._gone() from None

    def _wait(self, event: int, end: float) -> None:
        poll = select.poll()
        poll.register(self._line, event)
        if not poll.poll(max(0.0, 1000 * (end - time.monotonic()))):
            raise TimeoutError(f"the board has not answered within {DEADLINE:g} s")

    def _gone(self) -> ConnectionError:
        """The line is hung up."""
        try:
            return ConnectionError(f"the board has ended with status {self._process.wait(1)}")
        except subprocess.TimeoutExpired:
            return ConnectionError("the board has hung up")
