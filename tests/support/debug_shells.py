"""A debugger's shell over an image, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from debugged import RICH

from emu.asm.assembler import assemble
from launch.debug.shell import Shell
from launch.debug.start import started

NOTHING: Mapping[str, Any] = {
    "input_file": (),
    "stateful": False,
    "initial": (),
    "seed": 0,
    "model": None,
    "golden": None,
    "flow": "rendezvous",
}


def rich_image(folder: Path, text: str = RICH) -> Path:
    """The image of an assembly text."""
    (folder / "rich.asm").write_text(text)
    assemble(folder / "rich.asm", folder / "rich")
    return folder / "rich"


@contextmanager
def shell_of(out: Path, interrupted: Callable[[], bool] = lambda: False, **options: Any) -> Iterator[Shell]:
    """A shell at the begin of a session."""
    with started(out, {**NOTHING, **options}, interrupted) as debugger:
        yield Shell(debugger)


def answers(shell: Shell, *lines: str) -> list[str]:
    """What the last one of these commands answers."""
    found: list[str] = []
    for line in lines:
        found = list(shell.execute(line))
    return found
