"""Figures of papers, made in this process."""

from __future__ import annotations

import shlex
from typing import Any

from launch.campaigns.running import CampaignRun
from launch.campaigns.starting import InThisProcess
from launch.papers.frame.campaign import paper_campaign
from launch.papers.frame.figure import MeasuredValue, Measurement, WantedOptions
from launch.papers.frame.kept import KeptValues
from launch.papers.frame.library import paper, paper_names, requested
from launch.papers.frame.report import FigureReport

FIGURES = {f"{name}/{figure.name}": figure for name in paper_names() for figure in paper(name).figures}


def made(name: str, kept: KeptValues | None = None, **wanted: Any) -> FigureReport:
    """A figure, PAPER/FIGURE, with what is wanted of it."""
    with paper_campaign({"": requested(name, "", WantedOptions(**wanted))}, kept or KeptValues(None)) as campaign:
        run = CampaignRun(campaign.cases, campaign.ended, place=InThisProcess())
        with run:
            (figure,) = campaign.reports(run.run())[""]
        return figure


def report_of(name: str, *values: dict[str, Any] | str, **wanted: Any) -> FigureReport:
    """A figure whose first measurements have come to these values, or have failed for these reasons."""
    (request,) = requested(name, "", WantedOptions(**wanted))
    measurements = request.figure.measure(request.wanted)
    found = [_found(each, value) for each, value in zip(measurements, values, strict=False)]
    return FigureReport(request, found, len(measurements))


def _found(measurement: Measurement, value: dict[str, Any] | str) -> MeasuredValue:
    return MeasuredValue(measurement, {}, value) if isinstance(value, str) else MeasuredValue(measurement, value)


def words_of(command: str) -> list[str]:
    """The arguments of `emu` in a line of a shell."""
    name, *words = shlex.split(command)
    assert name == "emu"
    return words
