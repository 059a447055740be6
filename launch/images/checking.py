"""The checker before a run and after a compilation: refuted programs are rejected."""

from __future__ import annotations

from pathlib import Path

from emu.check import check
from emu.check.verdict import Report
from emu.errors import InputError, ProgramError
from emu.image.digest import check_digests
from emu.image.reader import open_image
from emu.noc.ports.port import FlowControl
from emu.wording import counted


class Refuted(InputError):
    """Programs that the checker has refuted; `report` has every verdict."""

    def __init__(self, out: Path, report: Report) -> None:
        self.report = report
        worst = report.refuted[0]
        others = counted(len(report.refuted) - 1, "more of its properties is", "more of its properties are")
        more = f"; {others} refuted" if report.refuted[1:] else ""
        super().__init__(
            f"{out}: refuted: {worst.title}: {worst.detail}{more} "
            "(`emu check` lists all; --no-check goes on all the same)"
        )


def not_proved(report: Report | None) -> list[str]:
    """A sentence for each property that the checker could not decide; none if nobody asked it."""
    return [f"not proved: {verdict.title}: {verdict.detail}" for verdict in (report.unproved if report else ())]


def refuse_refuted(out: Path, flow: str | None = None) -> Report:
    """Check the programs of `out`, or of its segments, for one flow or for all.

    Raises Refuted, or ProgramError for damaged files.
    """

    image = open_image(out, verify=False)
    try:
        report = check(image, FlowControl.parse(flow) if flow else None)
        if report.refuted:
            raise Refuted(out, report)
    except (ProgramError, Refuted):
        check_digests(out, image.manifest)  # an accidental change is reported as such
        raise
    return report
