"""What is known of crossbars and products at a point of a program, when its calls are followed before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler.dialects import cim
from emu.program.banks import Bank


@dataclass(frozen=True, slots=True)
class HeldCrossbar:
    """What is known of crossbars that were acquired: where they are (None: not known), and where they were released."""

    place: tuple[int, int] | None
    written: tuple[int, int] | None = None  # rows and columns, negative where they are not known
    released: str = ""
    sure: bool = True  # whether all ways here have left them so


@dataclass(frozen=True, slots=True)
class AwaitedProduct:
    """A product, and where it was awaited."""

    awaited: str = ""
    sure: bool = True


HANDLES = (cim.CrossbarType, cim.FutureType)
Handle = HeldCrossbar | AwaitedProduct


def alike(one: Handle, other: Handle) -> bool:
    """Whether the same is known of a handle on two ways, wherever they have ended it."""

    def known(handle: Handle) -> Any:
        ended = handle.released if isinstance(handle, HeldCrossbar) else handle.awaited
        return replace(handle, **{"released" if isinstance(handle, HeldCrossbar) else "awaited": ended and "somewhere"})

    return known(one) == known(other)


@dataclass(slots=True)
class CallState:
    """Crossbars of the cores, and all handles by number; `exact`: nothing else can be held."""

    banks: list[Bank]
    handles: dict[int, Any]
    exact: bool = True

    def copy(self) -> CallState:
        """Another one of the same."""
        return CallState([bank.copy() for bank in self.banks], dict(self.handles), self.exact)

    def seen(self, known: int, carried: Sequence[int | None]) -> Any:
        """What a turn of a loop may change for the next one; `known` handles were there before the loop."""
        places = tuple(bank.places() for bank in self.banks)
        old = tuple(self.handles[number] for number in range(known))
        return places, self.exact, old, tuple(self._shape(each, known) for each in carried)

    def _shape(self, number: int | None, known: int) -> Any:
        if number is None or number < known:
            return number
        handle = self.handles[number]
        return replace(handle, place=None) if isinstance(handle, HeldCrossbar) else handle
