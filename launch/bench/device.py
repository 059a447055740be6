"""Rows about a device that a program calls: against bare pyzmq, NumPy and absolute targets."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

from launch.bench.baselines.raw_roundtrip import RawPair
from launch.bench.clock import interleaved, seconds
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import probe
from launch.bench.row import BenchRow, at_most, within
from launch.bench.workshop import Workshop
from launch.devices.device import device
from launch.devices.simulation import simulate

SIZE = 128  # rows and columns of a crossbar
TILE, WHOLE = 64, 256  # of a tiled product
CALLS = 10_000


def one_vector(work: Workshop) -> RowMeasurement:
    """Microseconds of a product of one vector on a warm device, against a message of its size there and back."""
    count, rounds = (50, 1) if work.settings.quick else (500, work.settings.runs)
    timings = probe(call_one, count=count, rounds=rounds).result
    return RowMeasurement(
        ours=timings["ours"] * 1e6,
        baseline=timings["bare"] * 1e6,
        unit="us",
        against="pyzmq stop-and-wait of as many bytes",
        note=f"`gemv` of f32 on a written {SIZE} x {SIZE} crossbar, one core process; medians of {rounds}, in turns",
    )


def call_one(count: int, rounds: int) -> dict[str, float]:
    """Median seconds of one round trip, bare and of a product."""
    vector = np.ones(SIZE, np.float32)
    with RawPair(vector.nbytes) as raw, device(cores=1, record=False) as chip:
        crossbar = chip.acquire(SIZE, SIZE)
        crossbar.write(np.ones((SIZE, SIZE), np.float32))

        def ours() -> None:
            for _ in range(count):
                crossbar.gemv(vector).result()

        ours()
        bare, called = interleaved(lambda: raw.seconds(count), lambda: seconds(ours), rounds)
    return {"bare": bare / count, "ours": called / count}


def tiled_product(work: Workshop) -> RowMeasurement:
    """Milliseconds of a product of int8 matrices in tiles on four cores, against NumPy's own."""
    timings = probe(multiply_tiles, rounds=work.settings.runs).result
    return RowMeasurement(
        ours=timings["ours"] * 1e3,
        baseline=timings["numpy"] * 1e3,
        unit="ms",
        against="NumPy's int32 product of the same matrices",
        note=f"{WHOLE} x {WHOLE} x {WHOLE} in tiles of {TILE} x {TILE}, every tile written once; 4 core processes",
    )


def multiply_tiles(rounds: int) -> dict[str, float]:
    """Median seconds of the product, by NumPy and by the device."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-128, 128, (WHOLE, WHOLE), dtype=np.int8) for _ in range(2))
    wide = a.astype(np.int32), b.astype(np.int32)
    with device(record=False) as chip:
        crossbars = [chip.acquire(TILE, TILE, "i8") for _ in range(WHOLE // TILE)]

        def ours() -> None:
            product = np.zeros((WHOLE, WHOLE), np.int32)
            for k in range(0, WHOLE, TILE):
                for number, crossbar in enumerate(crossbars):
                    crossbar.write(b[k : k + TILE, number * TILE :][:, :TILE])
                futures = [crossbar.gemm(a[:, k : k + TILE]) for crossbar in crossbars]
                for number, future in enumerate(futures):
                    product[:, number * TILE :][:, :TILE] += future.result()
            assert np.array_equal(product, wide[0] @ wide[1])

        ours()
        numpy, called = interleaved(_timed(lambda: wide[0] @ wide[1]), _timed(ours), rounds)
    return {"numpy": numpy, "ours": called}


def long_session(work: Workshop) -> RowMeasurement:
    """Seconds to record, check and time a session of many calls."""
    found = probe(record_calls, count=100 if work.settings.quick else CALLS).result
    return RowMeasurement(
        ours=found["seconds"],
        baseline=None,
        unit="s",
        note=f"{found['calls']} calls (writes and products of 64 x 64 i8 on 4 cores), made, recorded, proved and timed;"
        " absolute target only",
    )


def record_calls(count: int) -> dict[str, float]:
    """Seconds from the first call to the proof and the simulated time of the programs that it became."""
    from emu.check.check import check_programs

    rng = np.random.default_rng(0)
    matrix, vectors = (rng.integers(-128, 128, (TILE, TILE), dtype=np.int8) for _ in range(2))
    with device("puma") as chip:
        crossbars = [chip.acquire(TILE, TILE, "i8") for _ in range(4)]
        began = time.perf_counter()
        for call in range(count):
            crossbar = crossbars[call // 2 % 4]
            if call % 2:
                crossbar.gemm(vectors)
            else:
                crossbar.write(matrix)
        chip.barrier()
        recording = chip.recording()
        m = recording.manifest
        report = check_programs(recording.programs, m.arch, m.inputs, m.outputs, m.global_size)
        assert report.proved
        simulate(recording)
        return {"seconds": time.perf_counter() - began, "calls": count}


def power_on(work: Workshop) -> RowMeasurement:
    """Seconds until a device of four cores can be called."""
    found = probe(start, rounds=work.settings.few).result
    note = f"4 core processes; median of {work.settings.few}; absolute target only"
    return RowMeasurement(ours=found, baseline=None, unit="s", note=note)


def start(rounds: int) -> float:
    """The median seconds of a start of a device."""

    def up() -> float:
        began = time.perf_counter()
        with device():
            return time.perf_counter() - began

    return statistics.median(up() for _ in range(rounds))


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    return lambda: seconds(work)


ROWS = (
    BenchRow("device-vector", "one vector through a crossbar of a device", one_vector, **at_most(2)),
    BenchRow("device-tiles", "256 x 256 x 256 of int8 on a device, in tiles", tiled_product, **within("ms", 40)),
    BenchRow(
        "device-session", "a session of 10,000 calls, made, recorded, checked and timed", long_session, **within("s", 5)
    ),
    BenchRow("device-start", "a device of 4 cores, ready", power_on, **within("s", 0.5)),
)
