"""Where cases of campaigns run in tests that are not about that: processes that stay from one campaign to the next."""

from __future__ import annotations

from collections.abc import Sequence

import leaks

from launch.campaigns import starting
from launch.campaigns.starting import Place, WarmProcesses

USUAL = starting.place_for


class LastingCases(WarmProcesses):
    """The warm processes of one campaign serve the next one, too, until they are closed."""

    def __exit__(self, *_: object) -> None:
        pass

    def begin(self) -> None:
        before = set(leaks.descendants())
        super().begin()
        leaks.LASTING.update(set(leaks.descendants()) - before)

    def place_for(self, needed: Sequence[str] | None, isolated: bool) -> Place:
        """Stands for `starting.place_for`."""
        return USUAL(needed, isolated) if needed is None or isolated else self

    def close(self) -> None:
        """End the processes."""
        super().__exit__(None, None, None)
