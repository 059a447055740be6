"""Gives shared memory its size."""

from __future__ import annotations

import errno
import os

from emu.errors import InputError


def resize(descriptor: int, size: int) -> None:
    """Make the memory file `descriptor` `size` bytes large; raises InputError (limits of file sizes hold, too)."""
    try:
        os.ftruncate(descriptor, size)
    except OSError as error:
        advice = "raise the limit of file sizes with ulimit -f" if error.errno == errno.EFBIG else "use fewer cores"
        raise InputError(f"no shared memory of {size} bytes for the run: {error.strerror}; {advice}") from None
