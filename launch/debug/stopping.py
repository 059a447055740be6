"""Commands about breakpoints."""

from __future__ import annotations

from collections.abc import Iterator

from emu.debug.conditions import Condition
from emu.errors import InputError
from launch.debug.debugger import Debugger
from launch.debug.spots import parse_bytes, parse_spot
from launch.debug.words import Words

SIDES = {"": (False, True), "read": (True, False), "write": (False, True), "access": (True, True)}


def break_(debugger: Debugger, words: Words) -> Iterator[str]:
    """`break SPOT`."""
    text = words.text
    return _added(debugger, parse_spot(words, debugger), text)


def watch(debugger: Debugger, words: Words) -> Iterator[str]:
    """`watch [read|write|access] BYTES`."""
    text = words.text
    reads, writes = SIDES[words.accept(*SIDES) if words.peek() else ""]
    touches = parse_bytes(words, debugger, reads, writes)
    words.end()
    return _added(debugger, (touches,), f"watch {text}")


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
