"""Sweeps of single cells: each is written alone at several levels, and read by a unit vector."""

from __future__ import annotations

import numpy as np

from launch.devices.crossbar import Crossbar
from launch.devices.failures import DeviceError
from launch.testing.contract_bench import Bench, full_scale, read_all
from launch.testing.contract_report import CellSweep

LEVELS = 5  # from the lowest value to the largest one


def sweep_cells(bench: Bench, most: int | None) -> list[CellSweep]:
    """The cells of all crossbars of the device, or of at most so many; each crossbar is acquired by itself."""
    crossbars: list[Crossbar] = []
    while most is None or len(crossbars) < most:
        try:
            crossbars.append(bench.take(*bench.tile))
        except DeviceError:  # none is free
            break
    return [_sweep(crossbar) for crossbar in crossbars]


def _sweep(crossbar: Crossbar) -> CellSweep:
    """Each write sets one cell of every row: what stands in other rows is not read together with it."""
    spec, weight = crossbar.spec, crossbar.spec.weight
    full, rows = full_scale(weight), np.arange(crossbar.rows)
    levels = np.linspace(-full if weight.is_signed else 0, full, LEVELS).astype(weight.numpy)
    read = np.empty((LEVELS, spec.rows, spec.cols))
    disturbance = np.zeros((spec.rows, spec.cols))
    for shift in range(spec.cols):
        cols = (rows + shift) % spec.cols
        for number, level in enumerate(levels):
            matrix = np.zeros((spec.rows, spec.cols), weight.numpy)
            matrix[rows, cols] = level
            crossbar.write(matrix)
            seen = read_all(crossbar)
            read[number, rows, cols] = seen[rows, cols]
            seen[rows, cols] = 0
            np.maximum(disturbance, np.abs(seen), out=disturbance)
    written = levels.astype(np.float64)
    apart = (read - written[:, None, None]) / full
    largest = np.abs(apart).argmax(axis=0)[None]
    return CellSweep(
        crossbar.core,
        spec.bank,
        np.take_along_axis(apart, largest, axis=0)[0],
        disturbance / full,
        np.ptp(read, axis=0) < np.ptp(written) / 2,
    )
