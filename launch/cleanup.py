"""Clean-up of this process: scratch directories, and clean-up under way that is worth waiting for.

Imports little: the command line loads it before anything else.
"""

from __future__ import annotations

import os

_scratch: list[str] = []  # directories to remove if this process ends without unwinding
_busy = 0  # clean-ups under way


class Cleaning:
    """A context manager around clean-up that ends by itself: a signal that ends this process waits for it."""

    def __enter__(self) -> None:
        global _busy
        _busy += 1

    def __exit__(self, *_: object) -> None:
        global _busy
        _busy -= 1


def cleaning() -> bool:
    """Whether clean-up is under way."""
    return _busy > 0


def remember(directory: str) -> None:
    """Remove `directory` if this process ends without unwinding."""
    _scratch.append(directory)


def forget(directory: str) -> None:
    """`directory` was removed."""
    _scratch.remove(directory)


def remove_scratch() -> None:
    """Remove what is remembered; in a process that ends, so little may go wrong, and nothing is told."""
    if any(map(os.path.exists, _scratch)):
        import shutil

        for directory in tuple(_scratch):
            shutil.rmtree(directory, ignore_errors=True)
