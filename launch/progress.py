"""Progress for people: a bar on stderr if it is a terminal, silence otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Advance = Callable[[], None]
Stage = Callable[[str], None]


@contextmanager
def progress_bar(title: str, total: int, quiet: bool = False) -> Iterator[Advance]:
    """Yields a function to call after each of `total` steps."""
    if quiet or total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)


@contextmanager
def spinner(title: str, quiet: bool = False) -> Iterator[Stage]:
    """Yields a function that names the stage in progress, for work whose length is unknown."""
    if quiet or not sys.stderr.isatty():
        yield lambda _stage: None
        return
    from rich.console import Console

    with Console(stderr=True).status(title) as status:
        yield lambda stage: status.update(f"{title}: {stage}")
