"""CIM-MLC schedules networks for chips that are programmed by core, by crossbar or by word line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from launch.papers.frame.figure import Paper, PublishedValue
from launch.papers.schedules.figure import published, schedule_figure

RESNETS = ("resnet18", "resnet34", "resnet50", "resnet101")
LEVELS = ("unscheduled", "pipeline", "duplication", "both", "both + stagger", "both + stagger + remap-rows")
PACE = "pace gain over the schedule before"

PRODUCTS = (
    "the published model counts products alone: its unscheduled image is the sum of the cycles of its layers (3.74"
    " million for ResNet-18), its pipeline the slowest layer. Here copies of windows, sums, additions, pooling and"
    " messages of the programs take time, too: the unscheduled image takes longer than its products, and bands on"
    " more cores divide all of that, not products alone"
)
COPIES = (
    "the published model divides a layer's products by its copies, and counts nothing else. Here a copy is a band"
    " of rows that is sent its halo, and sums of row tiles and shortcuts take time beside the products; and the last"
    " product, which the re-run leaves out, takes cores (32 of 768 for ResNet-101) that the re-run has for copies"
)
STAGGER = (
    "there a crossbar starts as soon as its slice of the input is ready. Here the row tiles of a pixel follow each"
    " other on their core, so that few crossbars work at a time: that takes time where this core decides the pace"
)
SPREADING = (
    "rows are spread over the crossbars that copies of weights leave free on a core, which are few when the budget"
    " is spent on copies first"
)
PEAK = (
    "the saving of the paper is of its own programs. Here cores reach their products at different times without the"
    " pass, too, so there is less to take away; and products of one row tile have nothing to take away"
)
GREEDY = (
    "the paper compares compilers: Poly-Schedule's whole schedule with its own. Here both rows differ by the choice"
    " of copies alone, with the same budget, and are timed without a pipeline inside of an image"
)
REWRITES = (
    "the published baseline is a layer at a time. Here a segment has as many layers, or as large a part of one, as"
    " the crossbars hold, in the unscheduled program, too; a layer that fills them leaves none for copies, and one"
    " that does not has as many copies as they hold. Writing weights, of which the table of the chip has no time,"
    " takes none, but for what global memory takes to give them"
)

# Of each schedule: what is compared, and what the paper and its code give for each of RESNETS.
_HEADLINE: tuple[tuple[str, str, str, tuple[float | None, ...], tuple[float, ...]], ...] = (
    ("pipeline", "overlap gain", PRODUCTS, (2.3, None, None, 4.7), (2.33, 3.10, 4.45, 4.92)),
    ("duplication", "latency gain", COPIES, (25.4, None, None, 3.1), (20.2, 9.48, 7.08, 2.66)),
    ("both", "overlap gain", PRODUCTS, (None, None, None, None), (80.8, 48.6, 65.1, 30.3)),
    ("both + stagger", PACE, STAGGER, (None, None, 1.8, 1.4), (1.04, 1.10, 1.29, 1.08)),
    ("both + stagger + remap-rows", PACE, SPREADING, (None, None, 1.1, None), (1.05, 1.03, 1.04, 1.03)),
)


def _levels() -> Iterator[PublishedValue]:
    """The headline figure, network by network."""
    for schedule, of, why, papers, reruns in _HEADLINE:
        for network, paper, rerun in zip(RESNETS, papers, reruns, strict=True):
            yield published(schedule, of, why, network, paper=paper, rerun=rerun)


def _one_at_a_time(**keys: tuple[Any, ...]) -> tuple[Mapping[str, Any], ...]:
    """The chip as it is, then each value of each key (`__` for a point) by itself."""
    changed = [{key.replace("__", "."): value} for key, values in keys.items() for value in values]
    return ({}, *changed)


PAPER = Paper(
    about="pipelines, copies of weights, staggered crossbars, spread rows",
    source="Qu et al., CIM-MLC, ASPLOS 2024; re-run: its published code, images of 224 x 224, without the last product",
    figures=[
        schedule_figure(
            "levels",
            "pipeline, duplication, both, with staggered crossbars, with rows spread over crossbars",
            chip="cim-mlc-isaac",
            networks=RESNETS,
            schedules=LEVELS,
            published=[*_levels()],
        ),
        schedule_figure(
            "peak-power",
            "peak power with and without staggered crossbars",
            chip="isaac",
            networks=RESNETS,
            schedules=("unscheduled", "stagger"),
            peak=True,
            published=[published("stagger", "peak saved", PEAK, "resnet101", paper=0.85)],
        ),
        schedule_figure(
            "peak-crossbars",
            "crossbars at work at one time with and without staggered crossbars, on CIM-MLC's baseline",
            chip="cim-mlc-isaac",
            networks=RESNETS,
            schedules=("both", "both + stagger"),
            peak=True,
            published=[published("both + stagger", "peak saved", PEAK, "resnet101", paper=0.85)],
        ),
        schedule_figure(
            "greedy",
            "copies of weights: greedy as Poly-Schedule, and dynamic programming",
            chip="cim-mlc-isaac",
            networks=("resnet18",),
            schedules=("unscheduled", "greedy", "duplication"),
            published=[
                published("greedy", "latency gain", GREEDY, paper=1 / (1 - 0.84), what="84 % fewer cycles"),
                published("duplication", "latency gain", COPIES, paper=1 / (1 - 0.95), what="95 % fewer cycles"),
                published("duplication", "latency gain over the schedule before", GREEDY, paper=3.2),
            ],
        ),
        schedule_figure(
            "vit",
            "a vision transformer on chips with other cores, crossbars, sizes and parallel rows",
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
        schedule_figure(
            "jia",
            "Jia's chip, programmed by core: layers in segments",
            chip="cim-mlc-jia",
            networks=("vgg7", "resnet18", "vgg16"),
            schedules=("unscheduled", "pipeline", "duplication", "both"),
            segments=True,
            published=[published("both", "latency gain", REWRITES, paper=3.7)],
        ),
        schedule_figure(
            "puma",
            "PUMA as CIM-MLC has it, programmed by crossbar: layers in segments",
            chip="cim-mlc-puma",
            networks=("vgg7", "resnet18", "vgg16"),
            schedules=("unscheduled", "pipeline", "duplication", "both", "both + stagger"),
            segments=True,
            peak=True,
            published=[published("both + stagger", "peak saved", PEAK, "vgg16", paper=0.75)],
        ),
        schedule_figure(
            "jain",
            "Jain's chip, programmed by row: layers in segments",
            chip="cim-mlc-jain",
            networks=("vgg7",),
            schedules=("unscheduled", "pipeline", "duplication", "both", "remap-rows"),
            segments=True,
            published=[published("both", "latency gain", REWRITES, "vgg7", paper=2.3)],
        ),
    ],
)
