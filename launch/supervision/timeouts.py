"""The check of a timeout before anything starts."""

from __future__ import annotations

import math

from emu.errors import InputError


def check_timeout(seconds: object) -> None:
    """Raise InputError unless `seconds` is None or a positive finite number."""
    if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < math.inf):
        raise InputError(
            f"timeout {seconds!r} is invalid: give a number of seconds greater than 0, or None for no limit"
        )
