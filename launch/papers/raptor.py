"""A thesis on RAPTOR lowers convolutions channel by channel, and compares that with the older way, pixel by pixel."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from emu.errors import InputError, option
from launch.papers.channel_wise import charts
from launch.papers.channel_wise.convolution import SCHEMES
from launch.papers.channel_wise.measuring import KERNEL, NAMED, SMALL_KERNEL, STAGES
from launch.papers.frame.figure import (
    Figure,
    MeasuredValue,
    Measurement,
    Paper,
    PublishedValue,
    Row,
    WantedOptions,
    range_of,
)
from launch.papers.schedules.figure import published, schedule_figure
from launch.text.columns import Column

MEASURING = "launch.papers.channel_wise.measuring"
RATIO = (5.0, 8.0)  # of the compile times of both schemes

MAPPED = "a kernel is cut otherwise"
LOOPS = (
    "here the ratio has no bound: channel-wise programs are loops, so neither the IR nor the code grows with the image,"
    " and the time is constant; pixel-wise it grows faster than the pixels, because every pixel is a buffer whose place"
    " is looked for among all others. RAPTOR's code is unrolled in both schemes, which may be why its ratio stays in a"
    " range"
)
GROWS = "the channel-wise IR depends on the size of the image"
CHIP = "another chip: the thesis describes one of its own with 200 cores; the figures here are of preset isaac"


def _each(
    function: str, sizes: Sequence[int], kernel: int, repeat: int = 0
) -> Callable[[WantedOptions], list[Measurement]]:
    """A measurement of every size in every scheme; raises InputError for an image that is smaller than the kernel."""

    def measure(wanted: WantedOptions) -> list[Measurement]:
        chosen = wanted.sizes or sizes
        if min(chosen) < kernel:
            raise InputError(
                f"{option('sizes', min(chosen))}: the kernel is {kernel} pixels wide, so give {kernel} or more"
            )
        more = {"repeat": wanted.repeat or repeat} if repeat else {}
        return [
            Measurement(
                label=f"{size} pixels/{name}",
                function=f"{MEASURING}:{function}",
                given={"size": size, "scheme": scheme, **more},
            )
            for size in chosen
            for scheme, name in SCHEMES.items()
        ]

    return measure


def _mapping(wanted: WantedOptions) -> list[Measurement]:
    return [Measurement(label="kernel", function=f"{MEASURING}:mapping", given={})]


def _cores(found: Sequence[MeasuredValue]) -> Sequence[Row]:
    return [core for each in found for core in each.values.get("cores", ())]


def _both_schemes(found: Sequence[MeasuredValue]) -> list[Row]:
    """A row of each size: the times of both schemes, and how many times longer the pixel-wise one takes."""
    rows: dict[int, dict[str, float | str | None]] = {}
    for each in found:
        given, time = each.of.given, each.values.get("time")
        row = rows.setdefault(given["size"], {"size": given["size"], "channel": None, "pixel": None, "ratio": None})
        row |= {given["scheme"]: time} | ({"reason": each.reason} if each.reason else {})
        channel, pixel = row["channel"], row["pixel"]
        if isinstance(channel, float) and isinstance(pixel, float):
            row["ratio"] = pixel / channel
    return [*rows.values()]


def _growth(found: Sequence[MeasuredValue]) -> list[Row]:
    """What came of each size and scheme, beside the operations of the smallest image in that scheme."""
    first: dict[str, int] = {}
    rows: list[Row] = []
    for each in found:
        growth = None
        if not each.reason:
            count = each.values["spat_operations"]
            growth = count / first.setdefault(each.values["scheme"], count)
        rows.append({**each.of.given, **each.values, "growth": growth, "reason": each.reason or None})
    return rows


_SIZE, _SCHEME = Column("size", "size", str), Column("scheme", "scheme")
_MANY, _SECONDS = "{:,}".format, "{:.3f}".format

PAPER = Paper(
    about="convolutions lowered channel by channel or pixel by pixel: mapping, instructions, compile time, IR; cores",
    source="the thesis on channel-wise lowering in RAPTOR, a compiler on ONNX-MLIR",
    figures=[
        Figure(
            name="mapping",
            title="the example of how a kernel is mapped to crossbars and cores",
            measure=_mapping,
            rows=_cores,
            columns=[Column(name, name, _MANY) for name in ("core", "crossbars", "weights", "cells")],
            published=[
                PublishedValue(what=what, of=of, why=MAPPED, paper=paper, pick=pick)
                for what, of, paper, pick in (
                    ("tile groups of an 8x4x3x3 kernel, crossbars of 3x3", "tile_groups", 6, max),
                    ("crossbars of a tile group, one per kernel position", "group_crossbars", 9, max),
                    ("crossbars", "crossbars", 54, sum),
                    ("cores of 5 crossbars", "core", 11, len),
                )
            ],
            chart=charts.mapping,
        ),
        Figure(
            name="instructions",
            title="instruction mix and counts over the width of the image",
            measure=_each("instructions", range(2, 10), SMALL_KERNEL),
            columns=[
                Column("size", "width", str),
                _SCHEME,
                Column("written", "as written", _MANY),
                *(Column(name, name, _MANY) for name in ("unrolled", *NAMED, "others")),
                Column("sent", "bytes sent", _MANY),
            ],
            takes=("sizes",),
            chart=charts.instructions,
        ),
        Figure(
            name="compile-time",
            title="time to compile over the size of the image",
            measure=_each("compile_time", (4, 6, 8, 10, 12), KERNEL, repeat=3),
            rows=_both_schemes,
            columns=[
                _SIZE,
                Column("channel", "channel-wise (s)", _SECONDS),
                Column("pixel", "pixel-wise (s)", _SECONDS),
                Column("ratio", "ratio", "{:.2f}".format),
            ],
            published=[
                PublishedValue(
                    what="compile time, pixel-wise over channel-wise", of="ratio", why=LOOPS, paper=RATIO, pick=range_of
                )
            ],
            takes=("sizes", "repeat"),
            chart=charts.compile_time(*RATIO),
        ),
        Figure(
            name="ir-size",
            title="size of the IR over the size of the image",
            measure=_each("ir_size", (4, 6, 8, 10, 12), KERNEL),
            rows=_growth,
            columns=[
                _SIZE,
                _SCHEME,
                *(Column(f"{stage}_operations", f"{stage} operations", _MANY) for stage in STAGES),
                *(Column(f"{stage}_bytes", f"{stage} bytes", _MANY) for stage in STAGES),
            ],
            published=[
                PublishedValue(
                    what="channel-wise operations, over those of the smallest image",
                    of="growth",
                    where={"scheme": "channel"},
                    why=GROWS,
                    paper=1,
                    pick=range_of,
                )
            ],
            takes=("sizes",),
            chart=charts.ir_size,
        ),
        schedule_figure(
            "cores",
            "throughput and energy against the number of cores",
            chip="isaac",
            networks=("resnet18",),
            schedules=("HT",),
            cores=(80, 100, 120, 140, 160),
            published=[
                published("HT", of, CHIP, "resnet18", paper=paper, what=f"{compiler}, at its best", source=source)
                for source in ("the thesis on channel-wise lowering in RAPTOR, Figure A.3",)
                for of, figures in (
                    ("samples per second", {"RAPTOR": 2070, "PIMCOMP": 103}),
                    ("uJ per sample", {"RAPTOR": 90, "PIMCOMP": 2800}),
                )
                for compiler, paper in figures.items()
            ],
        ),
    ],
)
