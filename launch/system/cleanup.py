"""Records that this process is cleaning up, which ends by itself and should be waited for.

Imports nothing: the command line loads it before anything else.
"""

from __future__ import annotations

_busy = 0  # clean-ups under way


class Cleaning:
    """A context manager around clean-up: a signal that ends this process waits for it."""

    def __enter__(self) -> None:
        global _busy
        _busy += 1

    def __exit__(self, *_: object) -> None:
        global _busy
        _busy -= 1


def cleaning() -> bool:
    """Whether clean-up is under way."""
    return _busy > 0
