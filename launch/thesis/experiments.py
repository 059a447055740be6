"""The experiments: a row each in a table, with what it measures and the sizes that it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from launch.text.progress import Advance
from launch.thesis.published import Comparison, compared

Row = dict[str, Any]
MAPPING_SIDE = 5  # pixels of the image of the mapping example, which does not depend on it
KERNEL = 3
SMALL_KERNEL = 2  # an image of 2 pixels has no room for a larger one without padding
WIDTHS = (2, 3, 4, 5, 6, 7, 8, 9)  # of the images whose instructions the thesis counts
NAMED = ("mvmul", "vvadd", "lmv", "lldi", "send", "recv")  # instructions with a column of their own


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment found: rows under `columns` (key: title), and the thesis's figures beside ours."""

    experiment: str
    columns: Mapping[str, str]
    rows: Sequence[Row]
    comparisons: Sequence[Comparison] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run of an experiment is given: image sizes (pixels of a side), and how often each is timed."""

    sizes: Sequence[int]
    repeat: int
    advance: Advance


@dataclass(frozen=True, slots=True)
class Experiment:
    """One measurement; `sizes` and `repeats` are the default ones, () and 0 if it takes none and times nothing."""

    title: str
    run: Callable[[Settings], Result]
    sizes: tuple[int, ...] = ()
    repeats: int = 0


def _schemes() -> Mapping[str, str]:
    from launch.thesis.convolution import SCHEMES

    return SCHEMES


def _mapping(settings: Settings) -> Result:
    """Tile groups, crossbars and cores of an 8x4x3x3 kernel."""
    from compiler.partition.matrix import FilterMatrix
    from launch.thesis.convolution import CHANNELS, CROSSBAR, FILTERS, compiled

    matrix = FilterMatrix("conv", CHANNELS, FILTERS, (KERNEL, KERNEL), 1, CROSSBAR, CROSSBAR, "kernel")
    _, census = compiled(MAPPING_SIDE, KERNEL, "channel")
    settings.advance()
    groups = len(matrix.channel_tiles) * len(matrix.col_tiles)
    found = {
        "tile_groups": [groups],
        "group_crossbars": [len(matrix.row_tiles) / len(matrix.channel_tiles)],
        "crossbars": [census.sum("crossbars")],
        "cores": [len(census.cores)],
    }
    rows = [
        {"core": core, "crossbars": found.crossbars, "weights": found.weights, "cells": found.cells}
        for core, found in census.cores.items()
    ]
    columns = {"core": "core", "crossbars": "crossbars", "weights": "weights", "cells": "cells"}
    return Result("mapping", columns, rows, compared("mapping", found))


def _instructions(settings: Settings) -> Result:
    """Instructions of both schemes over the width of the image."""
    from launch.thesis.convolution import compiled

    rows: list[Row] = []
    for side, scheme in _cases(settings):
        _, census = compiled(side, SMALL_KERNEL, scheme)
        mix = census.total.unrolled
        others = mix.total() - sum(mix[name] for name in NAMED)
        rows.append(
            {"size": side, "scheme": scheme, "written": census.total.written.total(), "unrolled": mix.total()}
            | {name: mix[name] for name in NAMED}
            | {"others": others, "sent": census.total.sent}
        )
        settings.advance()
    names = {name: name for name in (*NAMED, "others")}
    columns = {"size": "width", "scheme": "scheme", "written": "as written", "unrolled": "unrolled", **names}
    return Result("instructions", columns | {"sent": "bytes sent"}, rows)


def _compile_time(settings: Settings) -> Result:
    """Processor time of the compiler over the size of the image."""
    from launch.thesis.convolution import compiled

    for scheme in _schemes():  # what is imported on first use counts for neither
        compiled(min(settings.sizes), KERNEL, scheme)
    rows: list[Row] = []
    for size in settings.sizes:
        seconds: dict[str, list[float]] = {scheme: [] for scheme in _schemes()}
        for _ in range(settings.repeat):
            for scheme, times in seconds.items():
                times.append(compiled(size, KERNEL, scheme)[0])
                settings.advance()
        channel, pixel = (median(times) for times in seconds.values())
        rows.append({"size": size, "channel": channel, "pixel": pixel, "ratio": pixel / channel})
    columns = {"size": "size", "channel": "channel-wise (s)", "pixel": "pixel-wise (s)", "ratio": "ratio"}
    found = {"ratio": [row["ratio"] for row in rows]}
    return Result("compile-time", columns, rows, compared("compile-time", found))


def _ir_size(settings: Settings) -> Result:
    """Operations, and bytes of text, of the IR over the size of the image."""
    from compiler.text import print_module
    from launch.thesis.convolution import lowered

    rows: list[Row] = []
    for size, scheme in _cases(settings):
        row: Row = {"size": size, "scheme": scheme}
        for stage in ("spat", "pim"):
            module = lowered(size, KERNEL, scheme, stage)
            row |= {f"{stage}_operations": sum(1 for _ in module.walk()), f"{stage}_bytes": len(print_module(module))}
        rows.append(row)
        settings.advance()
    counts = {row["size"]: row["spat_operations"] for row in rows if row["scheme"] == "channel"}
    growth = counts[max(counts)] / counts[min(counts)]
    columns = {
        "size": "size",
        "scheme": "scheme",
        "spat_operations": "spat operations",
        "pim_operations": "pim operations",
        "spat_bytes": "spat bytes",
        "pim_bytes": "pim bytes",
    }
    return Result("ir-size", columns, rows, compared("ir-size", {"growth": [growth]}))


def _cases(settings: Settings) -> Iterator[tuple[int, str]]:
    """Every size in every scheme."""
    return ((size, scheme) for size in settings.sizes for scheme in _schemes())


EXPERIMENTS: Mapping[str, Experiment] = {
    "mapping": Experiment("the example of how a kernel is mapped to crossbars and cores", _mapping),
    "instructions": Experiment(
        "instruction mix and counts over the width of the image", _instructions, (*range(2, 10),)
    ),
    "compile-time": Experiment("time to compile over the size of the image", _compile_time, (4, 6, 8, 10, 12), 3),
    "ir-size": Experiment("size of the IR over the size of the image", _ir_size, (4, 6, 8, 10, 12)),
}


def steps_of(sizes: Sequence[int], repeat: int) -> int:
    """How often a run advances."""
    return len(sizes) * len(_schemes()) * max(1, repeat) if sizes else 1
