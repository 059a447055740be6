"""Figures about schedules: networks, each with all schedules at each point of the chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from launch.papers.frame.figure import (
    Figure,
    Measurement,
    Numbers,
    PublishedValue,
    Row,
    WantedOptions,
    best_of,
    least_of,
)
from launch.papers.frame.networks import check_names, network_names
from launch.papers.schedules.case import KINDS, FigurePoint
from launch.papers.schedules.chart import chart
from launch.papers.schedules.rows import COLUMNS, MEASURES, notes, rows, shown
from launch.text.columns import Column

MEASURE = "launch.papers.schedules.measuring:measure"
TAKES = ("networks", "schedules", "arch", "cores", "types")
COMPILED = ("flow", "samples")  # of networks that are compiled
_SMALLER_IS_BETTER = ("uJ per sample",)


@dataclass(frozen=True, kw_only=True)
class ScheduleFigure(Figure):
    """The columns depend on whether there are several schedules, and points."""

    def shown(self, rows: Sequence[Row]) -> Sequence[Column]:
        """Those of schedules."""
        return shown(rows)


def schedule_figure(
    name: str,
    title: str,
    chip: str,
    networks: Sequence[str],
    schedules: Sequence[str],
    points: Sequence[Mapping[str, Any]] = ({},),
    labels: Sequence[str] = (),
    cores: Sequence[int | None] = (None,),
    published: Sequence[PublishedValue] = (),
    kind: str = "compiled",
    **more: Any,
) -> Figure:
    """A figure whose first schedule is what the others are compared with, at each point.

    `points` are changes of the chip's description, each of which may have one of `labels`, `cores` numbers of cores
    that may be used, for each of which all schedules are measured. `kind` is a row of KINDS; `more` are further fields
    of each `FigurePoint`.
    """

    def measure(wanted: WantedOptions) -> list[Measurement]:
        _check(wanted, kind)
        settings = {name: getattr(wanted, name) for name in ("types", *COMPILED) if name in wanted.given}
        return [
            _measurement(
                FigurePoint(
                    network=network,
                    schedule=schedule,
                    chip=wanted.arch or chip,
                    kind=kind,
                    changes=changes,
                    label=label,
                    cores=count,
                    **settings,
                    **more,
                )
            )
            for network in wanted.networks or networks
            for changes, label in zip(points, labels or [""] * len(points), strict=True)
            for count in wanted.cores or cores
            for schedule in wanted.schedules or schedules
        ]

    return ScheduleFigure(
        name=name,
        title=title,
        chip=chip,
        measure=measure,
        rows=rows,
        columns=COLUMNS,
        published=[replace(entry, where={"network": tuple(networks), **entry.where}) for entry in published],
        takes=(*TAKES, *(COMPILED if kind == "compiled" else ())),
        notes=notes,
        point=lambda row: row["point"] if row["changes"] else "",
        chart=chart,
    )


def _measurement(case: FigurePoint) -> Measurement:
    label = "/".join(filter(None, (case.network, case.point, case.schedule)))
    return Measurement(label=label, function=MEASURE, given=case.given, commands=case.commands())


def _check(wanted: WantedOptions, kind: str) -> None:
    """Raise InputError for networks, schedules and chips that are not of the figure's kind, or not there at all."""
    if wanted.arch is not None:
        from emu.arch.read import load_arch

        load_arch(wanted.arch)
    check_names("networks", wanted.networks, _networks(kind))
    check_names("schedules", wanted.schedules, tuple(KINDS[kind]))


def _networks(kind: str) -> Sequence[str]:
    if kind == "compiled":
        return network_names()
    from compiler.offload.kernels import GRAPHS, KERNELS

    return (*KERNELS, *GRAPHS)


def published(
    schedule: str,
    of: str,
    why: str,
    network: str = "",
    paper: Numbers | None = None,
    rerun: float | None = None,
    what: str = "",
    source: str = "",
) -> PublishedValue:
    """What is published of a schedule: `of` is a row of MEASURES.

    Without a `network` it is not said of which one it is: it is compared with all of the figure's own.
    """
    pick: Callable[[Sequence[float]], Numbers] = least_of if of in _SMALLER_IS_BETTER else best_of
    return PublishedValue(
        what=f"{schedule}: {of}{f' ({what})' if what else ''}",
        of=MEASURES[of],
        why=why,
        where={"schedule": schedule, **({"network": network} if network else {})},
        paper=paper,
        rerun=rerun,
        pick=pick,
        source=source,
    )
