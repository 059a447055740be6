"""The request for a search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to look for: a row of `GOALS`, for so many seconds or candidates (None: no such limit), judged under `flow`.

    The options `fixed` stay as they are.
    """

    goal: str
    budget: float | None
    candidates: int | None
    seed: int = 0
    flow: str = "rendezvous"
    fixed: frozenset[str] = frozenset()
