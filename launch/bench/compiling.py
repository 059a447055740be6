"""Rows about the compiler: time and peak memory of whole commands, and how both grow."""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import Any

from launch.bench.command import run_emu
from launch.bench.measurement import Measurement
from launch.bench.probe import Probed, probe
from launch.bench.reference_child import open_session
from launch.bench.workshop import Workshop

AGAINST = "Python with onnxruntime opening the model"
GROWTH = "growth in proportion"
SECONDS, BYTES = "seconds", "peak_bytes"
Pair = tuple[float, float]  # ours, theirs


def open_model(model: str) -> None:
    """Open a session: what onnxruntime does before it can run."""
    open_session(model)


def compile_time(work: Workshop, network: str, cores: int) -> Measurement:
    """Seconds of a whole `emu compile` without golden values."""
    ours, base = _pair(work, network, cores)[SECONDS]
    return Measurement(ours=ours, baseline=base, unit="s", against=AGAINST, note=_note(work))


def compile_memory(work: Workshop, network: str, cores: int) -> Measurement:
    """The high-water mark of the same command."""
    ours, base = (value / 1e6 for value in _pair(work, network, cores)[BYTES])
    return Measurement(ours=ours, baseline=base, unit="MB", against=AGAINST, note=_note(work))


def _note(work: Workshop) -> str:
    return f"whole command, --golden none; medians of {work.settings.few}"


def _pair(work: Workshop, network: str, cores: int) -> dict[str, Pair]:
    """Medians of seconds and bytes of both sides, measured once for both rows."""

    def measure() -> dict[str, Pair]:
        model = work.model(network)
        pairs = [
            (_compile(work, model, cores), probe("launch.bench.compiling:open_model", model=model))
            for _ in range(work.settings.few)
        ]
        return {
            what: (
                statistics.median(getattr(ours, what) for ours, _ in pairs),
                statistics.median(getattr(theirs, what) for _, theirs in pairs),
            )
            for what in (SECONDS, BYTES)
        }

    return work.once(f"compile {network} {cores}", measure)


def _compile(work: Workshop, model: Path, cores: int) -> Probed:
    return run_emu("compile", model, "-o", work.folder / "compiled", "--cores", cores, "--golden", "none")


def compile_growth(work: Workshop, depths: list[int], channels: int, size: int, cores: int, what: str) -> Measurement:
    """The exponent of growth with the crossbars between the two largest of several sizes."""

    depths = depths[:2] if work.settings.quick else depths

    def measure() -> list[dict[str, Any]]:
        return [_size(work, f"chain-{depth}-{channels}-{size}", cores) for depth in depths]

    sizes: list[dict[str, Any]] = work.once(f"growth {depths} {channels} {size} {cores}", measure)
    before, last = sizes[-2:]
    exponent = math.log(last[what] / before[what]) / math.log(last["crossbars"] / before["crossbars"])
    shown = "; ".join(f"{entry['crossbars']} crossbars {_shown(entry, what)}" for entry in sizes)
    note = f"exponent between the two largest sizes (1: linear): {shown}"
    return Measurement(ours=exponent, baseline=1.0, unit="", against=GROWTH, note=note, details={"sizes": sizes})


def compile_image_size(work: Workshop, depth: int, channels: int, sizes: list[int], what: str) -> Measurement:
    """The same network for a large image against a small one."""
    cores = 64

    def measure() -> list[dict[str, Any]]:
        return [_size(work, f"chain-{depth}-{channels}-{size}", cores) for size in sizes]

    small, large = work.once(f"image size {depth} {channels} {sizes}", measure)
    factor, unit = (1.0, "s") if what == SECONDS else (1e-6, "MB")
    note = f"{depth} convolutions of {channels} channels on {sizes[1]} x {sizes[1]} pixels"
    against = f"the same on {sizes[0]} x {sizes[0]} pixels"
    return Measurement(ours=large[what] * factor, baseline=small[what] * factor, unit=unit, against=against, note=note)


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
