"""Memory that processes of a run share: a file in memory, of a size that limits of this process may forbid."""

from __future__ import annotations

import os

from emu.errors import InputError


def give_size(descriptor: int, size: int, what: str) -> None:
    """Make the memory file `descriptor` `size` bytes long; raises InputError if it must not be."""
    try:
        os.ftruncate(descriptor, size)
    except OSError as error:
        raise InputError(
            f"{size} bytes of shared memory for {what} cannot be had: {error.strerror}; raise ulimit -f and the memory "
            "limit, use fewer cores, or --sequential"
        ) from None
