"""How a property of single instructions is decided: section by section, until one refutes it."""

from __future__ import annotations

from collections.abc import Callable

from emu.check.verdict import PROVED, Finding, PropertyResult
from emu.operands.timeline import TooMuch
from emu.replay.core_view import CoreView, SectionView


def by_section(core: CoreView, first: Callable[[SectionView, list[str]], Finding | None]) -> PropertyResult:
    """Ask section by section for the `first` finding; it notes why what it could not decide stays open."""
    reasons: list[str] = []
    for view in core.sections.values():
        try:
            finding = first(view, reasons)
        except TooMuch as much:
            reasons.append(f"core {core.program.core}, {view.name}: {much}")
            continue
        if finding is not None:
            return PropertyResult.refuted(finding)
    return PropertyResult.unproved(reasons[0]) if reasons else PROVED
