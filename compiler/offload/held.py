"""What is known of a device on a way through a host program: which crossbars are held, which products awaited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from emu.program.banks import Bank


@dataclass(frozen=True, slots=True)
class Crossbars:
    """What is known of crossbars that were acquired: where they are (None: not known), and where they were released."""

    place: tuple[int, int] | None
    written: tuple[int, int] | None = None  # rows and columns, negative where they are not known
    released: str = ""
    sure: bool = True  # whether all ways here have left them so


@dataclass(frozen=True, slots=True)
class Product:
    """A product, and where it was awaited."""

    awaited: str = ""
    sure: bool = True


Handle = Crossbars | Product


@dataclass(slots=True)
class State:
    """Crossbars of the cores, and all handles by number; `exact`: nothing else can be held."""

    banks: list[Bank]
    handles: dict[int, Any]
    exact: bool = True

    def copy(self) -> State:
        """Another one of the same."""
        return State([bank.copy() for bank in self.banks], dict(self.handles), self.exact)

    def merge(self, other: State) -> None:
        """Keep what is so on this way and on the other one."""
        for number, handle in other.handles.items():
            if self.handles[number] != handle:
                self.handles[number] = replace(self.handles[number], sure=False)
        same = all(a.places() == b.places() for a, b in zip(self.banks, other.banks, strict=True))
        self.exact = self.exact and other.exact and same

    def seen(self, known: int, carried: Sequence[int | None]) -> Any:
        """What a turn of a loop may change for the next one; `known` handles were there before the loop."""
        places = tuple(bank.places() for bank in self.banks)
        old = tuple(self.handles[number] for number in range(known))
        return places, self.exact, old, tuple(None if each is None else self._shape(each) for each in carried)

    def _shape(self, number: int) -> Any:
        handle = self.handles[number]
        return replace(handle, place=None) if isinstance(handle, Crossbars) else handle
