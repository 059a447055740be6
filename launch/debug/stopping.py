"""Commands about breakpoints."""

from __future__ import annotations

from collections.abc import Iterator

from emu.debug.conditions import Condition
from emu.errors import InputError
from launch.debug.debugger import Debugger
from launch.debug.deciding import split_test
from launch.debug.spots import parse_bytes, parse_spot
from launch.debug.words import Words

SIDES = {"": (False, True), "read": (True, False), "write": (False, True), "access": (True, True)}


def break_(debugger: Debugger, words: Words) -> Iterator[str]:
    """`break SPOT`."""
    place, test = split_test(words, debugger)
    return _added(debugger, (*parse_spot(place, debugger), *test), words.text)


def watch(debugger: Debugger, words: Words) -> Iterator[str]:
    """`watch [read|write|access] BYTES`."""
    place, test = split_test(words, debugger)
    reads, writes = SIDES[place.accept(*SIDES) if place.left else ""]
    touches = parse_bytes(place, debugger, reads, writes)
    place.end()
    return _added(debugger, (touches, *test), f"watch {words.text}")


def _added(debugger: Debugger, conditions: tuple[Condition, ...], text: str) -> Iterator[str]:
    number = debugger.session.add(conditions, text)
    yield f"breakpoint {number}: {text}"


def delete(debugger: Debugger, words: Words) -> Iterator[str]:
    """`delete [N]`."""
    points = debugger.session.breakpoints
    if not words.left:
        points.clear()
        return
    number = words.whole("the number of the breakpoint")
    words.end()
    if number not in points:
        raise InputError(f"there is no breakpoint {number}: there are {', '.join(map(str, points)) or 'none'}")
    del points[number]
    yield from ()
