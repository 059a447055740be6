"""A row of the table of cost models."""

from __future__ import annotations

from dataclasses import dataclass

from emu.timing.model.product import Times


@dataclass(frozen=True, slots=True)
class Model:
    """A published model: its name in `timing.model`, where it comes from, how long a product takes.

    Without the figures `needs` there is no time of a product. Without those of `uses` what they stand for takes none.
    """

    name: str
    source: str
    product: Times
    needs: tuple[str, ...]
    uses: tuple[str, ...] = ()
