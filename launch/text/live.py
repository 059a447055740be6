"""The view of a run on a terminal: redrawn a few times per second, from the board that cores write anyway."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from emu.errors import EmuError
from emu.image.reader import open_image
from emu.noc.traffic.topology import mesh_of
from emu.noc.traffic.traffic import messages_and_bytes
from emu.noc.watch.board import Activity, Board
from launch.text.core_map import Cores, Line, RunProgress, activities_of, picture
from launch.text.progress import Advance

if TYPE_CHECKING:
    from rich.text import Text

PER_SECOND = 4  # pictures
SPAN = 2.0  # seconds over which rates are taken
PATIENCE = 1.0  # seconds to wait for a picture
_DUMB = ("", "dumb", "unknown")  # terminals whose cursor cannot be moved


class Chips:
    """The boards of the chips of a run, and what their messages carry once their programs have been read."""

    def __init__(self, parts: Sequence[tuple[Path, Board]]) -> None:
        self._boards = [board for _, board in parts]
        self._images = [open_image(path, verify=False) for path, _ in parts]
        self._meshes = [(image.arch.cores, mesh_of(image.arch).width) for image in self._images]
        self._sent: list[_Sent] | None = None

    def cores(self, samples: int) -> list[Cores]:
        """The activity of the cores of each chip now, in a run of so many samples."""
        return [
            Cores(one, width)
            for board, (cores, width) in zip(self._boards, self._meshes, strict=True)
            for one in _by_chip(activities_of(board, samples), cores)
        ]

    def read_programs(self, over: Callable[[], bool]) -> bool:
        """Read the sends of all programs, once; whether it did. Gives up when `over` says so."""
        if self._sent is not None:
            return False
        found: list[_Sent] = []
        for board, image in zip(self._boards, self._images, strict=True):
            pairs: dict[tuple[int, int], tuple[int, int]] = {}
            for core in image.cores:
                if over():
                    return False
                pairs |= messages_and_bytes({core: image.program(core)})
            found.append(_Sent(board, pairs))
        self._sent = found
        return True

    def sent(self) -> tuple[int, float]:
        """Messages that were sent so far, and their bytes: those of a pair of cores count with their mean."""
        found = [pairs.now() for pairs in self._sent or ()]
        return sum(messages for messages, _ in found), sum(size for _, size in found)


def _by_chip(activities: Mapping[int, Activity], cores: int) -> list[dict[int, Activity]]:
    """The activities of the cores of each chip that has a program, of so many cores each, by their number on it."""
    found: dict[int, dict[int, Activity]] = {}
    for core, activity in activities.items():
        found.setdefault(core // cores, {})[core % cores] = activity
    return list(found.values())


class _Sent:
    """Reads only the counters of pairs that exchange messages: all others are pages that nobody has touched."""

    def __init__(self, board: Board, pairs: Mapping[tuple[int, int], tuple[int, int]]) -> None:
        places = [(board.place[a], board.place[b]) for a, b in pairs]
        self._sent, self._at = board.sent, tuple(np.array(places, np.intp).reshape(-1, 2).T)
        self._sizes = np.array([size / max(1, count) for count, size in pairs.values()])

    def now(self) -> tuple[int, float]:
        """Messages and bytes."""
        counts = self._sent[self._at]
        return int(counts.sum()), float(counts @ self._sizes)


class LiveView(Advance):
    """What `launch_view` shows: how many cores have started; once all run, the chip."""

    def __init__(self, total: int) -> None:
        self.draw: Callable[[bool], object] = lambda wait: None  # at once, because something else begins
        self._total, self._done, self._resumed, self._starting = total, 0, 0, "starting"
        self._chips: Chips | None = None
        self._parts: Sequence[tuple[Path, Board]] = ()
        self._began = time.monotonic()
        self._past: deque[tuple[float, int, int, float]] = deque()  # time, samples, messages, bytes

    def __call__(self) -> None:
        """A sample is done."""
        self._done += 1

    def starting(self, done: int, total: int) -> None:
        """`done` of `total` processes have started."""
        before, self._starting = self._starting, f"starting cores {done}/{total}"
        if "/" not in before:
            self.draw(True)

    def runs(self, parts: Sequence[tuple[Path, Board]]) -> None:
        """All cores run: those of each chip, of an image, write to its board."""
        self._parts, self._starting, self._began = parts, "", time.monotonic()
        self._resumed = self._done  # an earlier run has finished these
        self.draw(False)

    def lines(self, columns: int, rows: int) -> list[Line]:
        """The picture now, of at most so many lines and characters."""
        if self._starting:
            return [[(self._starting[:columns], "")]]
        if self._chips is None and self._parts:
            with suppress(EmuError):  # somebody has removed the image that runs
                self._chips = Chips(self._parts)
        messages, size = self._chips.sent() if self._chips else (0, 0.0)
        cores = self._chips.cores(self._total - self._resumed) if self._chips else []
        return picture(cores, self._progress(messages, size), columns, rows)

    def read_programs(self, over: Callable[[], bool]) -> None:
        """Look into the programs of the chips that are shown, if that is not done; give up when it is `over`."""
        if self._chips is not None and self._chips.read_programs(over):
            self._past.clear()  # nothing of what was sent before is of the last seconds

    def _progress(self, messages: int, size: float) -> RunProgress:
        now = time.monotonic()
        self._past.append((now, self._done, messages, size))
        while len(self._past) > 2 and now - self._past[1][0] > SPAN:
            self._past.popleft()
        then, *before = self._past[0]
        rates = [
            (new - old) / (now - then) if now > then else 0.0
            for new, old in zip((self._done, messages, size), before, strict=True)
        ]
        return RunProgress(self._done, self._total, now - self._began, rates[0], messages, rates[1], rates[2])


@contextmanager
def launch_view(total: int, quiet: bool = False) -> Generator[Advance]:
    """Yields what to tell of a run of `total` samples; draws on stderr if that is a terminal with a cursor."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM", "") in _DUMB:
        yield Advance()
        return
    from rich.console import Console
    from rich.live import Live

    lock = RLock()  # a line told while a picture is drawn would not know how high that is

    class OneAtATime(Console):
        """What is told meanwhile waits for the picture that is being drawn."""

        def print(self, *objects: Any, **named: Any) -> None:
            with lock:
                super().print(*objects, **named)

    view, console = LiveView(total), OneAtATime(stderr=True, highlight=False)
    drawing = _Drawing(view, console)
    with Live(get_renderable=drawing.text, console=console, auto_refresh=False, transient=True) as live:

        def refresh() -> None:
            with lock:
                live.refresh()

        with _Redraw(refresh, view) as redraw:
            view.draw = redraw.now
            yield view


class _Redraw:
    """Draws a few times per second in a thread of its own: a signal, which comes to the main one, cuts no drawing."""

    def __init__(self, draw: Callable[[], object], view: LiveView) -> None:
        self._draw, self._view = draw, view
        self._wanted, self._drawn, self._over = Event(), Event(), False
        self._thread = Thread(target=self._run, name="live view", daemon=True)

    def __enter__(self) -> _Redraw:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._wanted.set()
        self._thread.join()

    def now(self, wait: bool) -> None:
        """Let the thread draw; `wait` until it has."""
        self._drawn.clear()
        self._wanted.set()
        if wait:
            self._drawn.wait(PATIENCE)

    def _run(self) -> None:
        while not self._over:
            self._wanted.wait(1 / PER_SECOND)
            self._wanted.clear()
            self._draw()
            self._drawn.set()
            with suppress(EmuError):  # as above
                self._view.read_programs(lambda: self._over)


class _Drawing:
    """Makes the text that is drawn next, for the terminal as wide and high as it is then."""

    def __init__(self, view: LiveView, console: Any) -> None:
        self._view, self._console = view, console
        self._drawn: list[int] = []  # the lengths of the lines that are there

    def text(self) -> Text:
        """The lines of the picture; a column and two lines of the terminal stay free."""
        from rich.text import Text

        columns, rows = self._console.size
        self._gather(columns)
        lines = self._view.lines(max(1, columns - 1), max(1, rows - 2))
        self._drawn = [sum(len(text) for text, _ in line) for line in lines]
        pieces = [piece for line in lines for piece in (*line, ("\n", ""))][:-1]
        return Text.assemble(*pieces, no_wrap=True, overflow="crop")

    def _gather(self, columns: int) -> None:
        """In a terminal that became narrower, lines take several rows each: move up by those that are too many."""
        more = sum(max(0, -(-length // max(1, columns)) - 1) for length in self._drawn)
        if more:
            self._console.file.write(f"\x1b[{more}A\x1b[J")
