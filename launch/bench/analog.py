"""Rows about cells, wires and converters: products of one array, trials of a small network, and a large one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from emu.isa.dtypes import DType
from emu.output.whole_file import write_whole
from launch.bench.clock import interleaved, least_in_turns, per_call, seconds
from launch.bench.command import run_emu
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import BenchError, probe
from launch.bench.row import BenchRow, at_least, at_most, within
from launch.bench.workshop import Workshop, stored_inputs

SIZE, BATCH = 128, 1000  # of the array, and vectors at once
# 8-bit weights in 2-bit cells, a pair for each digit, and bit-serial inputs; table [crossbar] is the last one.
ARRAYS = """[core]
crossbars = 512
[mapping]
weight_bits = 8
input_bits = 8
[crossbar]
rows = 128
cols = 128
cell_bits = 2
dac_bits = 1
differential = true
"""
CHIP = f"""[chip]
name = "analog"
{ARRAYS}adc_bits = 10
"""
CELLS = """[device]
programming = "gaussian"
programming_sigma = 0.02
"""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
Product = Callable[[], object]


def lossless(work: Workshop) -> RowMeasurement:
    """Products per second of an array whose converters lose nothing."""
    ours, bare = _in_turns(work, "exact", "bare")
    return _products(ours, bare, "np.matmul in float32", "8-bit weights and inputs; nothing is lost, so one product")


def rounding(work: Workshop) -> RowMeasurement:
    """The same with converters that round, and cells that are in error: every slice is read and converted."""
    ours, bare = _in_turns(work, "rounded", "bare")
    found = _products(ours, bare, "np.matmul in float32", "four slices, seven pulses, each converted to 10 bits")
    return replace(found, ours=1e6 / found.ours, baseline=1e6 / (found.baseline or 1), unit="us")


def noise(work: Workshop) -> RowMeasurement:
    """The same with noise in every reading, against without."""
    ours, bare = _in_turns(work, "noisy", "rounded")
    return RowMeasurement(
        ours=ours * 1e6 / BATCH,
        baseline=bare * 1e6 / BATCH,
        unit="us",
        against="the same without noise of readings",
        note=f"one product of {SIZE} x {SIZE}; normal noise of one size for all cells, drawn for each conversion",
    )


def _in_turns(work: Workshop, *which: str) -> tuple[float, float]:
    settings = work.settings
    least = 0.002 if settings.quick else 0.05
    first, second = probe(products, which=list(which), runs=settings.pairs, least=least).result
    return first, second


def _products(ours: float, bare: float, against: str, note: str) -> RowMeasurement:
    return RowMeasurement(
        ours=BATCH / ours,
        baseline=BATCH / bare,
        unit="products/s",
        against=against,
        note=f"one {SIZE} x {SIZE} array, {BATCH} vectors; {note}; one BLAS thread",
    )


def products(which: list[str], runs: int, least: float) -> list[float]:
    """Seconds of `BATCH` products, the least of `runs` in turns: "bare", "exact", "rounded", "noisy"."""
    made: dict[str, Callable[[], Product]] = {
        "bare": _bare,
        "exact": lambda: _crossbar(""),
        "rounded": lambda: _crossbar(CELLS),
        "noisy": lambda: _crossbar(f'{CELLS}read_noise = "gaussian"\nread_sigma = 0.01\n'),
    }
    works = [made[name]() for name in which]
    for one in works:
        per_call(one, least)
    return least_in_turns(works, runs, least)


def _numbers() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    first, second = (rng.integers(-127, 128, shape, np.int8) for shape in ((BATCH, SIZE), (SIZE, SIZE)))
    return first, second


def _bare() -> Product:
    x, weights = (array.astype(np.float32) for array in _numbers())
    y = np.empty((BATCH, SIZE), np.float32)
    return lambda: np.matmul(x, weights, out=y)


def _crossbar(cells: str) -> Product:
    from emu.arch.overlay import analog_of
    from emu.arch.read import parse_arch
    from emu.core.crossbars.crossbar import make_crossbar
    from emu.core.crossbars.origin import Loops, Origin, Position
    from emu.program.group import GroupSpec

    x, weights = _numbers()
    group = make_crossbar(
        GroupSpec(DType.i8, DType.i8, DType.i32, (SIZE,), (SIZE,)), analog_of(parse_arch(CHIP + cells, "analog.toml"))
    )
    group.program(weights, 0, 0)
    y = np.empty((BATCH, SIZE), np.int32)
    origin = Origin(Position(0, "main"), 0, Loops(((0, ((0, 1),)),), (0,), (BATCH,)), {}, range(BATCH))
    return lambda: group.multiply(y, x, False, False, origin)


def trials(work: Workshop, network: str, trials: int) -> RowMeasurement:
    """Seconds of trials of a network on all samples that stand beside it, as a command."""
    data = EXAMPLES / "digits_test.npz"
    if not data.is_file():
        raise BenchError(f"{data} is not there: the row needs the examples of the project")
    trials = 2 if work.settings.quick else trials
    chip = work.folder / "cells-in-error.toml"
    write_whole(chip, (CHIP + CELLS).encode())
    image = work.image(str(EXAMPLES / f"{network}.onnx"), 64, str(chip))
    given = ("--sequential", "--input", data, "--labels", "labels", "--golden", "none")
    plain = run_emu("launch", image, *given)
    found = run_emu("launch", image, *given, "--analog", "own", "--trials", trials)
    samples = len(np.load(data)["labels"])
    return RowMeasurement(
        ours=found.seconds,
        baseline=plain.seconds * trials,
        unit="s",
        against="as many runs on ideal crossbars",
        note=f"{trials} trials of {samples} samples, `emu launch --sequential`: one process; one run",
    )


def network_against_ideal(work: Workshop, network: str, form: str, cores: int) -> RowMeasurement:
    """Milliseconds of one image whose products are converted to few bits, against ideal products."""
    from emu.arch.overlay import analog_of
    from emu.image.reader import open_image
    from launch.analog.described import chip_text
    from launch.chips.power import power_on

    chip = work.folder / "eight-bits.toml"
    write_whole(chip, CHIP.replace("adc_bits = 10", "adc_bits = 8").encode())
    image = work.image(f"{network}@{form}", cores, str(chip))
    inputs, text = stored_inputs(image), chip_text(analog_of(open_image(image, verify=False).arch))
    with power_on(image, cores=cores, analog=text) as analog, power_on(image, cores=cores) as ideal:
        for warm in (analog, ideal):
            warm.run(inputs)
        ours, base = interleaved(
            lambda: seconds(lambda: analog.run(inputs)), lambda: seconds(lambda: ideal.run(inputs)), work.settings.few
        )
    note = f"{cores} processes each; 8-bit converters round every current; medians of {work.settings.few}, in turns"
    return RowMeasurement(ours=ours * 1e3, baseline=base * 1e3, unit="ms", against="its ideal run", note=note)


ROWS = (
    BenchRow("analog-lossless", "array of cells, nothing lost, 1000 vectors", lossless, {}, **at_least(0.9)),
    BenchRow(
        "analog-rounding", "array of cells, 10-bit converters, time of a product", rounding, {}, **within("us", 25.6)
    ),
    BenchRow("analog-noise", "array of cells, noise in every reading", noise, {}, **at_most(1.5)),
    BenchRow(
        "analog-trials",
        "digits network on cells in error, 100 trials of 450 images, one process, command",
        trials,
        {"network": "digits_cnn", "trials": 100},
        **within("s", 90),
    ),
    BenchRow(
        "analog-resnet18",
        "resnet18 in int8 with 8-bit converters, 64 processes, latency of one image",
        network_against_ideal,
        {"network": "resnet18", "form": "qoperator", "cores": 64},
        **at_most(15),
    ),
)
