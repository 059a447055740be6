"""Remembers what is read off objects that are looked at often, and whose equality takes long, such as types of IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

MOST = 1 << 16  # objects of a kind that are remembered, whatever else this process compiles


def by_identity(make: Callable[[_Key], _Value]) -> Callable[[_Key], _Value]:
    """`make`, called once per object, which stays alive here; a decorator. Errors are not remembered."""
    known: dict[int, tuple[_Key, _Value]] = {}

    def look(key: _Key) -> _Value:
        found = known.get(id(key))
        if found is None or found[0] is not key:
            if len(known) >= MOST:
                known.clear()
            known[id(key)] = found = key, make(key)
        return found[1]

    return look
