"""A terminal for tests: runs a command on a pseudo terminal, and keeps what its screen shows."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence

from emu_processes import EmuProcess, EmuProcesses

from launch.system.readable import readable

_LEFT_OUT = frozenset(("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"))  # of the environment
_CONTROL = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal of `columns` x `rows` shows: the few controls that our programs write, and lines that wrap."""

    def __init__(self, columns: int, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self.lines = [""]  # of the screen and what has left it, from the first on
        self.row = self.column = 0
        self.cursor_shown = True
        self.styles: set[str] = set()  # parameters of all colours
        self.written = ""  # all that was ever written, without controls
        self._rest = ""

    def write(self, text: str) -> None:
        """What a program writes."""
        text = self._rest + text
        cut = text.rfind("\x1b")
        open_ended = cut >= 0 and not _CONTROL.match(text, cut)
        self._rest, text = (text[cut:], text[:cut]) if open_ended else ("", text)
        at = 0
        while at < len(text):
            control = _CONTROL.match(text, at)
            if control:
                self._control(control[1], control[2])
                at = control.end()
            else:
                self._letter(text[at])
                self.written += text[at]
                at += 1

    def _letter(self, letter: str) -> None:
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self._down()
        else:
            if self.column == self.columns:
                self.column = 0
                self._down()
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[: self.column] + letter + line[self.column + 1 :]
            self.column += 1

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _control(self, parameter: str, kind: str) -> None:
        number = int(parameter) if parameter.isdecimal() else 1
        if kind == "A":
            self.row = max(self.row - number, len(self.lines) - self.rows, 0)
        elif kind == "K":
            self.lines[self.row] = ""
        elif kind == "J":
            self.lines[self.row + 1 :] = []
            self.lines[self.row] = self.lines[self.row][: self.column]
        elif parameter == "?25":
            self.cursor_shown = kind == "h"
        elif kind == "m":
            self.styles.update(part for part in parameter.split(";") if part not in ("", "0"))
        else:
            raise AssertionError(f"control {parameter}{kind} is not known here")

    def narrowed(self, columns: int) -> None:
        """The window becomes narrower: lines that are too long go on in further rows, as most terminals do it."""
        cut = [[line[at : at + columns] for at in range(0, max(1, len(line)), columns)] for line in self.lines]
        self.column = min(self.column, columns)
        self.row = sum(map(len, cut[: self.row + 1])) - 1
        self.lines, self.columns = [part for parts in cut for part in parts], columns

    @property
    def text(self) -> str:
        """All lines, without blank ones at the end."""
        return "\n".join(line.rstrip() for line in self.lines).rstrip("\n")


def run_on_terminal(
    emu: EmuProcesses,
    arguments: Sequence[str],
    screen: Screen,
    environment: Mapping[str, str] | None = None,
    look: Callable[[Screen, EmuProcess, int], None] = lambda screen, process, ours: None,
    seconds: float = 120,
) -> int:
    """Run `emu` with stdout and stderr on the terminal; `look` is called after every piece. Returns the exit code.

    `look` gets the screen, the process and the terminal's own end.
    """
    ours, theirs = pty.openpty()
    resize(ours, screen.columns, screen.rows)
    process = emu.start(
        *arguments,
        before=f"import os; os.setsid(); [os.environ.pop(name, None) for name in {_LEFT_OUT - {*(environment or ())}}]",
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm-256color", **(environment or {})},
    )
    os.close(theirs)
    ends = time.monotonic() + seconds
    try:
        with contextlib.suppress(OSError):  # the other end is closed
            while time.monotonic() < ends:
                if not readable(ours, 0.2):
                    continue
                part = os.read(ours, 4096)
                if not part:
                    break
                screen.write(part.decode())
                look(screen, process, ours)
        return process.wait(max(1.0, ends - time.monotonic()))
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        os.close(ours)


def resize(ours: int, columns: int, rows: int) -> None:
    """Give a pseudo terminal a size."""
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
