"""What a wrong name was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable

from emu.wording import nearest

LISTED = 12  # names in an error, at most


def suggestion(word: str, known: Iterable[str]) -> str:
    """To append to an error: the nearest name; if none is near, all of them, unless they are many."""
    names = sorted(known)
    near = nearest(word, names)
    return near or (f": use {' or '.join(map(repr, names))}" if 0 < len(names) <= LISTED else "")
