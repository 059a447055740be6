"""The garbage collector of Python, which runs less often where a command builds many permanent objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 100_000  # some 10 MB of IR; Python's own 700 take a tenth of the time of a compilation


@contextmanager
def rare_collections() -> Iterator[None]:
    """Search young objects for garbage only after `NEW_OBJECTS` more of them; also a decorator."""
    before = gc.get_threshold()
    gc.set_threshold(max(NEW_OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
