"""Memory of our processes: what the C library keeps of it, how rarely Python looks for garbage, what is shared."""

from __future__ import annotations

import ctypes
import errno
import gc
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress

from emu.errors import InputError, option

# By default glibc gives large blocks back to the system and maps them anew, each page a fault. `mallopt` names
# them M_MMAP_THRESHOLD (its largest value) and M_TRIM_THRESHOLD; other C libraries do not look at them.
_MAP_FROM, _TRIM_FROM = 32 << 20, 128 << 20  # bytes
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(_MAP_FROM), "MALLOC_TRIM_THRESHOLD_": str(_TRIM_FROM)}
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def keep_memory() -> None:
    """From now on do in this process what KEEP_MEMORY does in one that is started with it."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return
    mallopt(_M_MMAP_THRESHOLD, _MAP_FROM)
    mallopt(_M_TRIM_THRESHOLD, _TRIM_FROM)


def give_back() -> None:
    """Give the system what this process has freed: once, by one that is not going to need as much again."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


NEW_OBJECTS = 100_000  # some 10 MB of IR; Python's own 700 take a tenth of the time of most commands, imports and all


@contextmanager
def rare_collections() -> Generator[None, None, None]:
    """Search young objects for garbage only after `NEW_OBJECTS` more of them; also a decorator."""
    before = gc.get_threshold()
    gc.set_threshold(max(NEW_OBJECTS, before[0]) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def resize(descriptor: int, size: int) -> None:
    """Make the memory file `descriptor` `size` bytes large; raises InputError (limits of file sizes hold, too)."""
    try:
        os.ftruncate(descriptor, size)
    except (OSError, OverflowError) as error:
        limited = isinstance(error, OSError) and error.errno == errno.EFBIG
        advice = "raise the limit of file sizes with ulimit -f, " if limited else ""
        why = error.strerror if isinstance(error, OSError) else "that is too much"
        raise InputError(
            f"no shared memory of {size} bytes for the run: {why}; {advice}use fewer cores, or keep fewer events of a"
            f" trace by {option('trace_events')}"
        ) from None
