"""Completions of the next word of a command."""

from __future__ import annotations

from collections.abc import Iterable

from launch.debug import looking, showing
from launch.debug.debugger import Debugger
from launch.debug.expression import FUNCTIONS
from launch.debug.spots import SIDES


def names(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Tensors."""
    return debugger.tensors.names


def cores(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Cores with a program."""
    return map(str, debugger.chip.cores)


def programs(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Cores, and sections."""
    return [*cores(debugger, words), *looking.SECTIONS]


def spots(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Completions of a place to stop at."""
    last = words[-1] if words else ""
    if last == "core":
        return cores(debugger, words)
    if last == "node":
        return debugger.nodes
    if last in SIDES:
        return [*debugger.tensors.names, "global"]
    return ["core", "node", "sample", "message", *SIDES]


def watched(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Completions of `watch`."""
    return [*(() if words else SIDES), *debugger.tensors.names, "global"]


def expressions(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """Functions, and tensors for their quotes."""
    return [*showing.LOOKUPS, *FUNCTIONS, *debugger.tensors.names]


def breakpoints(debugger: Debugger, words: list[str]) -> Iterable[str]:
    """The numbers of breakpoints."""
    return map(str, debugger.session.breakpoints)
