"""A board of crossbars whose cells deviate, at the other end of a serial line: its standard input and output.

It knows nothing of the emulator. A request is a line of words and, for some, data behind it; the answer likewise:

    ACQUIRE group place rows cols x w y     rows, cols: heights and widths of tiles, as 16,16,4; types as in NumPy, f4
    WRITE group row rows length crc         then `length` bytes: weights [rows, cols], little-endian, row by row
    MULTIPLY group vectors length crc       then vectors [vectors, rows]
    RELEASE group
    ERROR sentence                          what cannot be done
    OK length crc                           then results [vectors, cols] of type y, or nothing

`crc` is zlib's CRC-32 of the data in hexadecimal; what does not fit it is refused. A weight w at a cell counts as
w * gain of the cell; some cells are stuck at a share of the largest weight that was ever written to the group.
Results of integers are rounded, and held at the limits of their type. Groups stand on crossbars from `place` on, in
order of their tiles, so a cell deviates alike whoever uses it. The board ends when the line does.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
import termios
import time
import zlib

import numpy as np

SIZE = 256  # rows and columns of the largest crossbar: cells are drawn for that


class Cells:
    """Gains of the cells of each crossbar, and where some are stuck (NaN: nowhere)."""

    def __init__(self, seed: int, spread: float, stuck: float) -> None:
        self._seed, self._spread, self._stuck = seed, spread, stuck
        self._known: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def of(self, crossbar: int) -> tuple[np.ndarray, np.ndarray]:
        """Both [SIZE, SIZE]; the error of a gain is at most three spreads."""
        if crossbar not in self._known:
            rng = np.random.default_rng((self._seed, crossbar))
            error = np.clip(rng.standard_normal((SIZE, SIZE)), -3, 3)
            at = np.where(rng.random((SIZE, SIZE)) < self._stuck, rng.uniform(-1, 1, (SIZE, SIZE)), np.nan)
            self._known[crossbar] = 1 + self._spread * error, at
        return self._known[crossbar]

    def spread_over(self, place: int, heights: list[int], widths: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """The same for a matrix on crossbars from `place` on."""
        tiles = [
            [[part[:height, :width] for part in self.of(place + i * len(widths) + j)] for j, width in enumerate(widths)]
            for i, height in enumerate(heights)
        ]
        gain, at = (np.block([[tile[k] for tile in row] for row in tiles]) for k in range(2))
        return gain, at


class Group:
    """A matrix of weights on some cells."""

    def __init__(self, cells: Cells, place: str, rows: str, cols: str, *types: str) -> None:
        heights, widths = ([int(size) for size in text.split(",")] for text in (rows, cols))
        self.gain, self.at = cells.spread_over(int(place), heights, widths)
        self.given, self.held, self.made = (np.dtype(f"<{kind}") for kind in types)
        self.weights = np.zeros(self.gain.shape)
        self.largest = 0.0

    def write(self, row: int, values: np.ndarray) -> None:
        """Program the cells of some rows."""
        self.weights[row : row + len(values)] = values
        self.largest = max(self.largest, float(np.abs(self.weights).max(initial=0)))

    def multiply(self, vectors: np.ndarray) -> np.ndarray:
        """What the columns sum up to."""
        cells = np.where(np.isnan(self.at), self.weights * self.gain, self.at * self.largest)
        sums = vectors.astype(np.float64) @ cells
        if self.made.kind == "f":
            return sums.astype(self.made)
        limits = np.iinfo(self.made)
        most = min(float(limits.max), 2.0**63 - 1024)  # which is the largest float below 2^63
        return np.clip(np.rint(sums), float(limits.min), most).astype(self.made)


class Board:
    """Answers requests, unless it is to misbehave."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._cells = Cells(options.seed, options.spread, options.stuck)
        self._groups: dict[str, Group] = {}
        self._answered = 0

    def serve(self) -> None:
        """Until the line is hung up."""
        while words := _line().split():
            answer = self._answer(words)
            if self._answered >= self._options.silent_after:
                continue
            if self._answered >= self._options.die_after:
                sys.exit(1)
            if self._answered >= self._options.after:
                time.sleep(self._options.late)
                if self._options.garbage:
                    answer = os.urandom(64) + b"\n"
            self._answered += 1
            _send(answer)

    def _answer(self, words: list[str]) -> bytes:
        name, *given = words
        try:
            data = REQUESTS[name](self, *given)
        except (KeyError, ValueError, TypeError, OSError) as error:
            return f"ERROR {type(error).__name__}: {' '.join(str(error).split())}\n".encode()
        if self._options.wrong_size and data and self._answered >= self._options.after:
            data += data[: len(data) // 2]
        return f"OK {len(data)} {zlib.crc32(data):08x}\n".encode() + data

    def acquire(self, group: str, *given: str) -> bytes:
        """ACQUIRE."""
        self._groups[group] = Group(self._cells, *given)
        return b""

    def write(self, group: str, row: str, rows: str, length: str, crc: str) -> bytes:
        """WRITE."""
        data, held = _checked(int(length), crc), self._groups[group]
        held.write(int(row), np.frombuffer(data, held.held).reshape(int(rows), -1).astype(np.float64))
        return b""

    def multiply(self, group: str, vectors: str, length: str, crc: str) -> bytes:
        """MULTIPLY."""
        data, held = _checked(int(length), crc), self._groups[group]
        return held.multiply(np.frombuffer(data, held.given).reshape(int(vectors), -1)).tobytes()

    def release(self, group: str) -> bytes:
        """RELEASE."""
        del self._groups[group]
        return b""


REQUESTS = {"ACQUIRE": Board.acquire, "WRITE": Board.write, "MULTIPLY": Board.multiply, "RELEASE": Board.release}


def _line() -> str:
    """The next line; empty at the end of the serial line."""
    made = bytearray()
    while not made.endswith(b"\n"):
        byte = _read(1)
        if not byte:
            return ""
        made += byte
    return made.decode("ascii", "replace")


def _checked(length: int, crc: str) -> bytes:
    """Data behind a line; raises ValueError unless it fits its checksum."""
    data = bytearray()
    while len(data) < length:
        part = _read(length - len(data))
        if not part:
            sys.exit(0)
        data += part
    if zlib.crc32(data) != int(crc, 16):
        raise ValueError("the data do not fit their checksum")
    return bytes(data)


def _read(most: int) -> bytes:
    """What has come; nothing once the line is hung up."""
    try:
        return os.read(0, most)
    except OSError:
        return b""


def _send(content: bytes) -> None:
    while content:
        try:
            content = content[os.write(1, content) :]
        except OSError:
            sys.exit(0)  # hung up


def options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    never = sys.maxsize
    for name, kind, default, text in (
        ("--seed", int, 0, "of the cells"),
        ("--spread", float, 0.01, "of the gains of cells, as a share"),
        ("--stuck", float, 0.0, "share of cells that are stuck"),
        ("--silent-after", int, never, "give no answer after so many"),
        ("--die-after", int, never, "end after so many answers"),
        ("--late", float, 0.0, "seconds before each answer"),
        ("--after", int, 0, "answers before it is late, of wrong size, or garbage"),
    ):
        parser.add_argument(name, type=kind, default=default, help=text)
    parser.add_argument("--wrong-size", action="store_true", help="answer with more results than were asked for")
    parser.add_argument("--garbage", action="store_true", help="answer with bytes that mean nothing")
    return parser.parse_args()


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a line that is hung up ends the board, whatever it does just then
    if os.isatty(0):
        try:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        except OSError:
            sys.exit(0)
    Board(options()).serve()
