"""What is measured of the convolution: functions that cases call, each for one image and scheme."""

from __future__ import annotations

from statistics import median
from typing import Any

from launch.papers.channel_wise.convolution import CHANNELS, CROSSBAR, FILTERS, compiled, lowered

KERNEL = 3
SMALL_KERNEL = 2  # an image of 2 pixels has no room for a larger one without padding
MAPPING_SIDE = 5  # pixels of the image of the mapping example, which does not depend on it
NAMED = ("mvmul", "vvadd", "lmv", "lldi", "send", "recv")  # instructions with a column of their own
STAGES = ("spat", "pim")


def mapping(folder: str) -> dict[str, Any]:
    """Tile groups of an 8x4x3x3 kernel, crossbars of a group, and what each core has of it."""
    from compiler.mapping.tiling.matrix import FilterMatrix

    matrix = FilterMatrix("conv", CHANNELS, FILTERS, (KERNEL, KERNEL), 1, CROSSBAR, CROSSBAR, "kernel")
    _, census = compiled(MAPPING_SIDE, KERNEL, "channel")
    groups = {
        "tile_groups": len(matrix.channel_tiles) * len(matrix.col_tiles),
        "group_crossbars": len(matrix.row_tiles) / len(matrix.channel_tiles),
    }
    return {
        "cores": [
            {"core": core, "crossbars": found.crossbars, "weights": found.weights, "cells": found.cells, **groups}
            for core, found in census.cores.items()
        ]
    }


def instructions(size: int, scheme: str, folder: str) -> dict[str, Any]:
    """Instructions of an image of `size` pixels a side."""
    _, census = compiled(size, SMALL_KERNEL, scheme)
    mix = census.total.unrolled
    return {
        "size": size,
        "scheme": scheme,
        "written": census.total.written.total(),
        "unrolled": mix.total(),
        **{name: mix[name] for name in NAMED},
        "others": mix.total() - sum(mix[name] for name in NAMED),
        "sent": census.total.sent,
    }


def compile_time(size: int, scheme: str, repeat: int, folder: str) -> dict[str, Any]:
    """Processor time of the compiler (s), the median of `repeat` times."""
    compiled(KERNEL, KERNEL, scheme)  # what is imported on first use does not count
    return {"size": size, "scheme": scheme, "time": median(compiled(size, KERNEL, scheme)[0] for _ in range(repeat))}


def ir_size(size: int, scheme: str, folder: str) -> dict[str, Any]:
    """Operations, and bytes of text, of the module at both levels."""
    from compiler.text import print_module

    row: dict[str, Any] = {"size": size, "scheme": scheme}
    for stage in STAGES:
        module = lowered(size, KERNEL, scheme, stage)
        row |= {f"{stage}_operations": sum(1 for _ in module.walk()), f"{stage}_bytes": len(print_module(module))}
    return row
