"""The figures: a row each in a table, with the networks, chip, schedules and points of its cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from emu.errors import InputError, option
from launch.schedules.case import KINDS, Case, Outcome
from launch.schedules.kept import Kept
from launch.schedules.measuring import measured

RESNETS = ("resnet18", "resnet34", "resnet50", "resnet101")
WRITE = 2500.0  # ns of a write of OCC's device: of a row, or of a tile of 64 rows
LEVELS = ("unscheduled", "pipeline", "duplication", "both", "both + stagger", "both + stagger + remap-rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One figure. The first of `schedules` is what the others are compared with, at each point.

    `points` are changes of the chip's description, each of which may have one of `labels`, `cores` numbers of cores
    that may be used, for each of which all schedules are measured. `kind` is a row of KINDS; host programs are of
    `size`, without one of their own.
    """

    title: str
    chip: str
    networks: tuple[str, ...]
    schedules: tuple[str, ...]
    points: tuple[Mapping[str, Any], ...] = ({},)
    labels: tuple[str, ...] = ()
    cores: tuple[int | None, ...] = (None,)
    segments: bool = False
    peak: bool = False
    kind: str = "compiled"
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run is given instead of an experiment's own: () or None is the experiment's own."""

    networks: tuple[str, ...] = ()
    schedules: tuple[str, ...] = ()
    cores: tuple[int, ...] = ()
    chip: str | None = None
    types: str = "int8"
    flow: str = "rendezvous"
    samples: int = 8


@dataclass(frozen=True, slots=True)
class Row:
    """A measured case beside `reference`, the first schedule at the same point, and `before`, the schedule before it.

    The one or the other is None where that could not be measured, or does not exist.
    """

    case: Case
    outcome: Outcome
    reference: Outcome | None = None
    before: Outcome | None = None


def cases_of(name: str, wanted: Wanted) -> list[Case]:
    """The cases of a figure, schedules of a point one after another; raises InputError for what it has not."""
    row = EXPERIMENTS[name]
    _check(row, wanted)
    return [
        Case(
            network=network,
            schedule=schedule,
            chip=wanted.chip or row.chip,
            kind=row.kind,
            size=row.size,
            types=wanted.types,
            changes=changes,
            label=label,
            cores=cores,
            segments=row.segments,
            peak=row.peak,
            flow=wanted.flow,
            samples=wanted.samples,
        )
        for network in wanted.networks or row.networks
        for changes, label in zip_longest(row.points, row.labels, fillvalue="")
        for cores in wanted.cores or row.cores
        for schedule in wanted.schedules or row.schedules
    ]


def _check(row: Experiment, wanted: Wanted) -> None:
    """Raise InputError for networks, schedules and other options that are not of the figure's kind."""
    if row.kind == "compiled":
        from compiler.zoo import NAMES as networks
    else:
        from compiler.offload.kernels import GRAPHS, KERNELS

        networks = (*KERNELS, *GRAPHS)
        if (wanted.flow, wanted.samples) != (Wanted().flow, Wanted().samples):
            raise InputError(
                f"{option('flow')} and {option('samples')} are about networks that are compiled: leave them out"
            )
    for what, names, known in (
        ("networks", wanted.networks, networks),
        ("schedules", wanted.schedules, KINDS[row.kind]),
    ):
        if strange := [each for each in names if each not in known]:
            raise InputError(f"{option(what)} {strange[0]}: those of this figure are {', '.join(known)}")


def run(cases: Sequence[Case], kept: Kept, advance: Callable[[], None], rows: list[Row]) -> None:
    """Measure the cases in their order; a row is added as it is known, so what is there stays if the run is stopped."""
    for row in beside(measured(cases, kept, advance)):
        rows.append(row)


def beside(found: Iterable[tuple[Case, Outcome]]) -> Iterable[Row]:
    """Rows of cases whose schedules of a point follow each other."""
    point: Case | None = None
    reference: Outcome | None = None
    before: Outcome | None = None
    for case, outcome in found:
        known = None if outcome.reason else outcome
        here = replace(case, schedule="")
        if here != point:
            point, reference, before = here, known, None
        yield Row(case, outcome, reference, before)
        before = known


def _one_at_a_time(**keys: tuple[Any, ...]) -> tuple[Mapping[str, Any], ...]:
    """The chip as it is, then each value of each key (`__` for a point) by itself."""
    changed = [{key.replace("__", "."): value} for key, values in keys.items() for value in values]
    return ({}, *changed)


EXPERIMENTS: Mapping[str, Experiment] = {
    "levels": Experiment(
        title="pipeline, duplication, both, with staggered crossbars, with rows spread over crossbars",
        chip="cim-mlc-isaac",
        networks=RESNETS,
        schedules=LEVELS,
    ),
    "peak-power": Experiment(
        title="peak power with and without staggered crossbars",
        chip="isaac",
        networks=RESNETS,
        schedules=("unscheduled", "stagger"),
        peak=True,
    ),
    "peak-crossbars": Experiment(
        title="crossbars at work at one time with and without staggered crossbars, on CIM-MLC's baseline",
        chip="cim-mlc-isaac",
        networks=RESNETS,
        schedules=("both", "both + stagger"),
        peak=True,
    ),
    "greedy": Experiment(
        title="copies of weights: greedy as Poly-Schedule, and dynamic programming",
        chip="cim-mlc-isaac",
        networks=("resnet18",),
        schedules=("unscheduled", "greedy", "duplication"),
    ),
    "vit": Experiment(
        title="a vision transformer on chips with other cores, crossbars, sizes and parallel rows",
        chip="cim-mlc-isaac",
        networks=("vit_tiny", "vit_b16"),
        schedules=("unscheduled", "both"),
        points=_one_at_a_time(
            chip__cores=(256, 512, 1024),
            core__crossbars=(8, 32),
            crossbar__rows=(64, 256),
            crossbar__cols=(64, 256),
            crossbar__parallel_rows=(16, 32, 64, 128),
        ),
    ),
    "jia": Experiment(
        title="Jia's chip, programmed by core: layers in segments",
        chip="cim-mlc-jia",
        networks=("vgg7", "resnet18", "vgg16"),
        schedules=("unscheduled", "pipeline", "duplication", "both"),
        segments=True,
    ),
    "puma": Experiment(
        title="PUMA as CIM-MLC has it, programmed by crossbar: layers in segments",
        chip="cim-mlc-puma",
        networks=("vgg7", "resnet18", "vgg16"),
        schedules=("unscheduled", "pipeline", "duplication", "both", "both + stagger"),
        segments=True,
        peak=True,
    ),
    "jain": Experiment(
        title="Jain's chip, programmed by row: layers in segments",
        chip="cim-mlc-jain",
        networks=("vgg7",),
        schedules=("unscheduled", "pipeline", "duplication", "both", "remap-rows"),
        segments=True,
    ),
    "pimcomp": Experiment(
        title="PIMCOMP's two modes: high throughput (HT) and low latency (LL)",
        chip="isaac",
        networks=("resnet18", "vgg16", "googlenet"),
        schedules=("unscheduled", "HT", "LL"),
    ),
    "cores": Experiment(
        title="throughput and energy against the number of cores",
        chip="isaac",
        networks=("resnet18",),
        schedules=("HT",),
        cores=(80, 100, 120, 140, 160),
    ),
    "occ": Experiment(
        title="OCC's kernels on its device: tiled, with fewest writes, on several tiles at a time",
        chip="occ",
        networks=(
            "mm",
            "tmm",
            "2mm",
            "3mm",
            "mlp3",
            "mv",
            "conv1d",
            "conv2d",
            "conv3d",
            "ab-acd-dbc",
            "abc-acd-db",
            "abcd-aebf-dfce",
            "kronecker3",
            "lstm",
            "wavenet",
        ),
        schedules=("tile", "interchange", "parallel", "both"),
        points=({"timing.crossbar.write_row_ns": WRITE}, {"timing.crossbar.write_row_ns": WRITE / 64}),
        labels=("2.5 us a row", "2.5 us a tile"),
        kind="offloaded",
    ),
    "cinnamon": Experiment(
        title="Cinnamon's schedules of products, as soon and as late as possible",
        chip="occ",
        networks=("3mm", "mlp3", "10-products", "300-products"),
        schedules=("asap", "alap"),
        cores=(1, 2, 4),
        kind="offloaded",
        size=64,
    ),
}
