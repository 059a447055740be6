"""Progress for people: a bar on stderr if it is a terminal, silence otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emu.noc.watch.board import Board


class Advance:
    """Callbacks for progress: the call itself for a finished step, `starting` for processes that have been forked."""

    def __call__(self) -> None:
        """A step is done."""

    def starting(self, done: int, total: int) -> None:
        """`done` of `total` processes have started."""

    def runs(self, parts: Sequence[tuple[Path, Board]]) -> None:
        """All processes run; `parts` are the images of cores, each with the board that its cores write."""


class _Bar(Advance):
    def __init__(self, progress: Any, title: str, total: int) -> None:
        self._progress, self._title, self._total = progress, title, total
        self._start: Any = None
        self._steps: Any = None

    def __call__(self) -> None:
        if self._start is not None:
            self._progress.remove_task(self._start)
            self._start = None
        if self._steps is None:
            self._steps = self._progress.add_task(self._title, total=self._total, visible=self._total > 1)
        self._progress.advance(self._steps)

    def starting(self, done: int, total: int) -> None:
        if self._start is None:
            self._start = self._progress.add_task("starting cores", total=total)
        self._progress.update(self._start, completed=done)


@contextmanager
def progress_bar(title: str, total: int, quiet: bool = False) -> Generator[Advance, None, None]:
    """Yields the `Advance` to call for each of `total` steps, and before them for processes that have started."""
    if quiet or not sys.stderr.isatty():
        yield Advance()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield _Bar(progress, title, total)


@contextmanager
def share_bar(title: str, quiet: bool = False) -> Generator[Callable[[str, float], None] | None, None, None]:
    """Yields a function to show the present step and the share done, 0 to 1; None without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda step, share: progress.update(task, completed=share, description=f"{title}: {step}")
