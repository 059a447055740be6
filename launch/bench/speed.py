"""Rows about images per second: one at a time, as a stream, with more or fewer cores, and from a cold start."""

from __future__ import annotations

import statistics
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from emu.output.whole_file import write_whole
from emu.wording import counted
from launch.bench.bounds import bounds
from launch.bench.clock import interleaved, seconds
from launch.bench.command import run_emu
from launch.bench.machine import available_processors
from launch.bench.measurement import RowMeasurement
from launch.bench.reference import AGAINST, Reference, cold_seconds, reference
from launch.bench.row import BenchRow, at_most, within
from launch.bench.workshop import Workshop, stored_inputs
from launch.chips.power import ProcessChip, power_on

WARM_UP = 3
TIMEOUT = 300  # seconds without a result, after which a row is given up
# A chip that holds a whole network in one core: as many crossbars and as much local memory as that takes.
LARGE_CORES = """[chip]
name = "large-cores"
cores = 1024
[core]
crossbars = 1024
local_memory = "256 MiB"
"""
Inputs = dict[str, np.ndarray]


@contextmanager
def _both(
    work: Workshop, network: str, cores: int, arch: str = "default"
) -> Generator[tuple[ProcessChip, Reference, Inputs]]:
    """A warm chip and a warm onnxruntime on the same input, whose outputs agree."""
    image = work.image(network, cores, arch)
    inputs = stored_inputs(image)
    with reference(work.model(network), inputs) as theirs, power_on(image, cores=cores, timeout=TIMEOUT) as chip:
        for _ in range(WARM_UP):
            theirs.check(chip.run(inputs))
            theirs.seconds()
        yield chip, theirs, inputs


def latency(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """Milliseconds from one image to its outputs, the chip being warm and otherwise idle; and what bounds them."""
    found = _latency(work, network, cores)
    bound = bounds(work.image(network, cores), work.settings.few)
    if bound is None or found.baseline is None:
        return found
    count = available_processors()
    least, kernels, messages = (1e3 * each for each in (bound.latency(count), bound.kernels, bound.bare.processor))
    note = (
        f"{found.note}; bound: {least:.1f} ms, {least / found.baseline:.3g}x ({kernels:.1f} ms of its kernels alone,"
        f" {messages:.1f} ms of its messages between bare processes, by {counted(count, 'processor')})"
    )
    return replace(found, note=note, details={**found.details, "bounds": bound.to_dict()})


def _latency(work: Workshop, network: str, cores: int, arch: str = "default") -> RowMeasurement:
    runs = work.settings.pairs
    with _both(work, network, cores, arch) as (chip, theirs, inputs):
        ours, base = interleaved(lambda: seconds(lambda: chip.run(inputs)), theirs.seconds, runs)
        programs = len(chip.cores_with_program)
    note = f"{cores} processes, {programs} with a program; medians of {runs}, one image each in turns"
    return RowMeasurement(
        ours=ours * 1e3, baseline=base * 1e3, unit="ms", against=AGAINST, note=note, details={"programs": programs}
    )


def against_float(work: Workshop, network: str, form: str, cores: int) -> RowMeasurement:
    """Milliseconds of one image by a network quantised in `form`, against the same network in float32."""
    runs = work.settings.pairs
    image, plain = work.image(f"{network}@{form}", cores), work.image(network, cores)
    inputs, others = stored_inputs(image), stored_inputs(plain)
    with power_on(image, cores=cores, timeout=TIMEOUT) as chip, power_on(plain, cores=cores, timeout=TIMEOUT) as floats:
        for _ in range(WARM_UP):
            chip.run(inputs)
            floats.run(others)
        ours, base = interleaved(
            lambda: seconds(lambda: chip.run(inputs)), lambda: seconds(lambda: floats.run(others)), runs
        )
    note = f"{cores} processes each; medians of {runs}, one image each in turns"
    return RowMeasurement(ours=ours * 1e3, baseline=base * 1e3, unit="ms", against="its float32 form, here", note=note)


def pipelined(work: Workshop, network: str, cores: int, repeat: int) -> RowMeasurement:
    """Milliseconds per image of a stream that flows through the cores."""
    repeat = min(repeat, 4) if work.settings.quick else repeat
    runs = work.settings.few
    with _both(work, network, cores) as (chip, theirs, inputs):

        def stream() -> float:
            return seconds(lambda: [None for _ in chip.stream(inputs for _ in range(repeat))]) / repeat

        def images() -> float:
            return statistics.median(theirs.seconds() for _ in range(max(3, repeat // 4)))

        ours, base = interleaved(stream, images, runs)
    note = f"streams of {repeat} images; medians of {runs}"
    return RowMeasurement(ours=ours * 1e3, baseline=base * 1e3, unit="ms", against=AGAINST, note=note)


def scaling(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """The latency with `cores` cores, each large enough to hold the whole network."""
    arch = work.folder / "large-cores.toml"
    write_whole(arch, LARGE_CORES.encode())
    return _latency(work, network, cores, str(arch))


def copies(work: Workshop, network: str, arch: str, cores: int, what: str) -> RowMeasurement:
    """Seconds of a chip of hundreds of cores with copies of weights: its `start`, the `first` image, or an `image`."""
    found = work.once(f"copies-{network}-{arch}", lambda: _copies(work, network, arch, cores))
    how = f"medians of {found['runs']}, one image each in turns" if what == "image" else "one run"
    return RowMeasurement(
        ours=found[what],
        baseline=None if what == "start" else found["bare"],
        unit="s",
        against="" if what == "start" else AGAINST,
        note=f"{found['programs']} processes with a program; {how}; absolute target only",
        details=found,
    )


def _copies(work: Workshop, network: str, arch: str, cores: int) -> dict[str, float]:
    """All of them by name, in few runs, as each takes seconds."""
    image = work.image(network, cores, arch, "--duplicate", "throughput")
    inputs, runs = stored_inputs(image), max(1, work.settings.few // 2)
    with reference(work.model(network), inputs) as theirs:
        began = time.perf_counter()
        with power_on(image, cores=cores, timeout=TIMEOUT) as chip:
            start = time.perf_counter() - began
            first = seconds(lambda: theirs.check(chip.run(inputs)))
            ours, base = interleaved(lambda: seconds(lambda: chip.run(inputs)), theirs.seconds, runs)
            programs = len(chip.cores_with_program)
    return {"start": start, "first": first, "image": ours, "bare": base, "programs": programs, "runs": runs}


def cold(work: Workshop, network: str, cores: int) -> RowMeasurement:
    """Seconds of a whole `emu launch`, from the shell to the verdict, against a whole program with onnxruntime."""
    image, model = work.image(network, cores), work.model(network)
    inputs = stored_inputs(image)
    runs = work.settings.few

    def ours() -> float:
        return run_emu("launch", image, "--cores", cores).seconds

    own, base = interleaved(ours, lambda: cold_seconds(model, inputs), runs)
    against = "Python with onnxruntime, cold, the same image"
    return RowMeasurement(
        ours=own, baseline=base, unit="s", against=against, note=f"golden values stored; medians of {runs}"
    )


def _latency_row(network: str, cores: int, *goals: float, what: str = "", of: str = "image") -> BenchRow:
    title = f"{network}{what}, {cores} processes, warm, latency of one {of}"
    return BenchRow(f"{network}-latency", title, latency, {"network": network, "cores": cores}, **at_most(*goals))


ROWS = (
    _latency_row("resnet18", 64, 2.7, 2),
    BenchRow(
        "resnet18-pipelined",
        "resnet18, 64 processes, pipelined, time per image",
        pipelined,
        {"network": "resnet18", "cores": 64, "repeat": 32},
        **at_most(1.7, 1.3),
    ),
    BenchRow(
        "resnet18-cold",
        "resnet18: `emu launch` to verdict, cold processes, page cache warm",
        cold,
        {"network": "resnet18", "cores": 64},
        **within("s", 2.5, 1.2),
    ),
    _latency_row("vgg16", 160, 2.2, 1.7),
    _latency_row("mobilenet_v2", 64, 6, 4),
    _latency_row("vit_tiny", 64, 4, 2.5),
    _latency_row("bert_mini", 64, 4, 2.5),
    _latency_row("gpt_tiny", 64, 5, 3),
    _latency_row("unet", 64, 3.5, 2.5),
    _latency_row("lstm_net", 64, 5, 3, what=" (100 steps)", of="sequence"),
    BenchRow(
        "resnet18-int8",
        "resnet18 in int8 against float32, 64 processes each, warm, latency of one image",
        against_float,
        {"network": "resnet18", "form": "qoperator", "cores": 64},
        **at_most(0.9, 0.7),
    ),
)
COPIES = tuple(
    BenchRow(
        f"resnet18-copies-{what}",
        f"resnet18 with copies for throughput on the 768 cores of cim-mlc-isaac, {title}",
        copies,
        {"network": "resnet18", "arch": "cim-mlc-isaac", "cores": 768, "what": what},
        **within("s", *goals),
    )
    for what, title, *goals in (
        ("start", "until all are ready", 7, 4),
        ("first", "the first image", 6, 3),
        ("image", "one image, warm", 6, 3),
    )
)
SCALING = tuple(
    BenchRow(
        f"scaling-{cores}",
        f"resnet18 on {counted(cores, 'core')} that could each hold all of it, latency",
        scaling,
        {"network": "resnet18", "cores": cores},
    )
    for cores in (1, 4, 16, 64, 256)
)
