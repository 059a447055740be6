"""Unconsumed messages and syncs at the end of a sample: searched for only if the counts say that there may be some."""

from __future__ import annotations

from collections.abc import Mapping

from emu.arch import Arch
from emu.check.check import check_left_over
from emu.check.verdict import Outcome
from emu.program.program import Program
from launch.supervision.errors import LeftoverMessage


class LeftoverCheck:
    """The search on one chip. Programs leave the same messages in every sample, so one search is enough."""

    def __init__(self, programs: Mapping[int, Program], arch: Arch) -> None:
        self._programs, self._arch = programs, arch
        self._looked = False

    def look(self) -> None:
        """Raise LeftoverMessage, with the checker's detail, if a message or sync is left at the end of each sample."""
        if self._looked:
            return
        self._looked = True
        result = check_left_over(self._programs, self._arch)
        if result.outcome is Outcome.REFUTED:
            raise LeftoverMessage(result.detail)
