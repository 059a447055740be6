"""Conditions of breakpoints: `break main:12 if counters()[0] == 3`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from emu.debug.chip import SteppedChip
from emu.debug.conditions import Condition
from emu.errors import InputError
from launch.debug.debugger import Debugger
from launch.debug.expression import evaluate, parse
from launch.debug.showing import lookups
from launch.debug.words import Words

_IF = " if "


@dataclass(slots=True)
class When(Condition):
    """Holds when all elements of an expression are true; also when it cannot be computed, and `fault` says why."""

    debugger: Debugger
    text: str
    fault: str = ""

    def holds(self, chip: SteppedChip, core: int) -> bool:
        """Whether it is true, `core` being the one in focus."""
        self.fault = ""
        try:
            return bool(np.all(evaluate(self.text, lookups(self.debugger, core))))
        except InputError as error:
            self.fault = str(error)
            return True


def split_test(words: Words, debugger: Debugger) -> tuple[Words, tuple[When, ...]]:
    """The words before an `if`, and the condition behind it, if there is one; raises InputError for no expression."""
    place, found, text = f" {words.text}".partition(_IF)
    if not found:
        return words, ()
    parse(text)
    return words.instead(place), (When(debugger, text.strip()),)


def faults(conditions: Iterable[Condition]) -> str:
    """Why a condition could not be decided, the last time; empty if all could."""
    return next((f"`if` cannot be decided: {c.fault}" for c in conditions if isinstance(c, When) and c.fault), "")
