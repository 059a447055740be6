"""Checks the programs of an image, or of all segments of a network with host nodes."""

from __future__ import annotations

from dataclasses import replace

from emu.check.check import check as check_chip
from emu.check.verdict import PROVED, Outcome, Report, Verdict
from emu.image.reader import Image
from emu.image.segments import core_images
from emu.noc.ports.port import FlowControl

_WORST_FIRST = (Outcome.REFUTED, Outcome.UNPROVED, Outcome.PROVED)


def check(image: Image, flow: FlowControl | None = None) -> Report:
    """Every property of the programs of an image, for one flow or (None) for all; raises ProgramError.

    Of an image in segments it is the worst verdict of any, which names its folder. Of host nodes nothing is proved.
    """
    if not image.manifest.segments:
        return check_chip(image, flow)
    parts = core_images(image)
    reports = {part.path.name: check_chip(part, flow) for part in parts}
    titles = {verdict.key: verdict.title for report in reports.values() for verdict in report.verdicts}
    verdicts = tuple(_worst(key, title, reports) for key, title in titles.items())
    return Report(verdicts, sum(len(part.cores) for part in parts), sum(report.seconds for report in reports.values()))


def _worst(key: str, title: str, reports: dict[str, Report]) -> Verdict:
    named = ((name, report.of(key)) for name, report in reports.items())
    name, worst = min(named, key=lambda entry: _WORST_FIRST.index(entry[1].outcome))
    if worst.outcome is Outcome.PROVED:
        return Verdict(key, title, PROVED)
    return replace(worst, result=replace(worst.result, detail=f"{name}: {worst.result.detail}"))
