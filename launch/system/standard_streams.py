"""Makes sure that standard input, output and error exist, also in a daemon that was started with them closed."""

from __future__ import annotations

import os

STANDARD = (0, 1, 2)


def open_standard_streams() -> set[int]:
    """Point each closed descriptor of 0, 1 and 2 at the null device; those that were closed.

    Else pipes and files of ours would get these numbers, and a child process would lose them to its own streams.
    """
    closed = set()
    for descriptor in STANDARD:
        try:
            os.fstat(descriptor)
        except OSError:
            closed.add(descriptor)
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, that is, this one
            os.set_inheritable(descriptor, True)
    return closed
