"""Waits until a descriptor can be read; `select.select` knows none above 1023, and programs of users hold many."""

from __future__ import annotations

import select
import socket


def readable(source: socket.socket | int, seconds: float | None) -> bool:
    """Whether `source` can be read, or ends, within so many seconds; None: however long that takes."""
    waiting = select.poll()
    waiting.register(source, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else 1000 * seconds))
