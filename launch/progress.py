"""Progress for people: a bar on stderr if it is a terminal, silence otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

Advance = Callable[[], None]


@contextmanager
def progress_bar(title: str, total: int, quiet: bool = False) -> Generator[Advance, None, None]:
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
def share_bar(title: str, quiet: bool = False) -> Generator[Callable[[str, float], None] | None, None, None]:
    """Yields a function to tell the step in progress and the share done, 0 to 1; None if nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=1.0)
        yield lambda step, share: progress.update(task, completed=share, description=f"{title}: {step}")
