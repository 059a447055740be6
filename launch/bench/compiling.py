"""Rows about the compiler: time and peak memory of whole commands, and how both grow."""

from __future__ import annotations

import math
import statistics
from functools import partial
from pathlib import Path
from typing import Any

from launch.bench.command import run_emu
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import Probed
from launch.bench.row import BenchRow, at_most, within
from launch.bench.workshop import Workshop

GROWTH = "growth in proportion"
SECONDS, BYTES = "seconds", "peak_bytes"
LAYERS = {"depths": [2, 8, 32, 128], "channels": 256, "size": 8, "cores": 128}  # 36 crossbars per further convolution
PIXELS = {"depth": 8, "channels": 32, "sizes": [28, 224]}


def compile_time(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """Seconds of a whole `emu compile` without golden values."""
    seconds = statistics.median(run.seconds for run in _runs(work, network, cores))
    return RowMeasurement(ours=seconds, baseline=None, unit="s", note=_note(work))


def compile_memory(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """The high-water mark of the same command."""
    peak = statistics.median(run.peak_bytes for run in _runs(work, network, cores))
    return RowMeasurement(ours=peak / 1e6, baseline=None, unit="MB", note=_note(work))


def _note(work: Workshop) -> str:
    return f"whole command, --golden none; median of {work.settings.few}; absolute target only"


def _runs(work: Workshop, network: str, cores: int) -> list[Probed]:
    """The runs of the command, made once for both rows."""
    model = work.model(network)
    make = partial(_compile, work, model, cores)
    return work.once(f"compile {network} {cores}", lambda: [make() for _ in range(work.settings.few)])


def _compile(work: Workshop, model: Path, cores: int) -> Probed:
    return run_emu("compile", model, "-o", work.folder / "compiled", "--cores", cores, "--golden", "none")


def compile_growth(
    work: Workshop, depths: list[int], channels: int, size: int, cores: int, what: str
) -> RowMeasurement:
    """The exponent of growth with the crossbars between the two largest of several sizes."""

    depths = depths[:2] if work.settings.quick else depths

    def measure() -> list[dict[str, Any]]:
        return [_size(work, f"chain-{depth}-{channels}-{size}", cores) for depth in depths]

    sizes: list[dict[str, Any]] = work.once(f"growth {depths} {channels} {size} {cores}", measure)
    before, last = sizes[-2:]
    exponent = math.log(last[what] / before[what]) / math.log(last["crossbars"] / before["crossbars"])
    shown = "; ".join(f"{entry['crossbars']} crossbars {_shown(entry, what)}" for entry in sizes)
    note = f"exponent between the two largest sizes (1: linear): {shown}"
    return RowMeasurement(ours=exponent, baseline=1.0, unit="", against=GROWTH, note=note, details={"sizes": sizes})


def compile_image_size(work: Workshop, depth: int, channels: int, sizes: list[int], what: str) -> RowMeasurement:
    """The same network for a large image against a small one."""
    cores = 64

    def measure() -> list[dict[str, Any]]:
        return [_size(work, f"chain-{depth}-{channels}-{size}", cores) for size in sizes]

    small, large = work.once(f"image size {depth} {channels} {sizes}", measure)
    factor, unit = (1.0, "s") if what == SECONDS else (1e-6, "MB")
    note = f"{depth} convolutions of {channels} channels on {sizes[1]} x {sizes[1]} pixels"
    against = f"the same on {sizes[0]} x {sizes[0]} pixels"
    return RowMeasurement(
        ours=large[what] * factor, baseline=small[what] * factor, unit=unit, against=against, note=note
    )


def _size(work: Workshop, network: str, cores: int) -> dict[str, Any]:
    """Crossbars, median seconds and bytes of compiling one network of a series."""
    from emu.image.reader import open_image

    done = [_compile(work, work.model(network), cores) for _ in range(work.settings.few)]
    image = open_image(work.folder / "compiled", verify=False)
    return {
        "network": network,
        "crossbars": sum(group.crossbars for core in image.cores for group in image.program(core).groups),
        SECONDS: statistics.median(run.seconds for run in done),
        BYTES: statistics.median(run.peak_bytes for run in done),
    }


def _shown(entry: dict[str, Any], what: str) -> str:
    return f"{entry[what]:.2f} s" if what == SECONDS else f"{entry[what] / 1e6:.0f} MB"


ROWS = (
    *(
        BenchRow(
            f"{network}-compile-{what}",
            f"`emu compile` of {network} for {cores} cores, {title}",
            function,
            {"network": network, "cores": cores},
            **within(unit, limit),
        )
        for network, cores, seconds, megabytes in (
            ("resnet18", 64, 3, 600),
            ("vit_tiny", 64, 3, 600),
            ("vgg16", 160, 12, 1600),
        )
        for what, title, function, unit, limit in (
            ("time", "wall time", compile_time, "s", seconds),
            ("memory", "peak memory", compile_memory, "MB", megabytes),
        )
    ),
    *(
        BenchRow(
            f"compile-{name}-{short}",
            f"compile {short} with the {title}",
            function,
            {**arguments, "what": what},
            **at_most(1.1),
        )
        for name, title, function, arguments in (
            ("growth", "number of crossbars", compile_growth, LAYERS),
            ("image", "size of the image", compile_image_size, PIXELS),
        )
        for short, what in (("time", SECONDS), ("memory", BYTES))
    ),
)
