"""A row of the table of cost models."""

from __future__ import annotations

from dataclasses import dataclass

from emu.timing.model.product import Times


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its name in `timing.model`, where it comes from, how long its products take.

    `window` holds where a chip names none (`timing.window`).
    """

    name: str
    source: str
    product: Times
    window: int = 1
