"""OCC's flow by hand: a product in tiles, that writes each tile of B as it comes, or once, on one crossbar or four.

    python examples/offload.py [SIZE] [ARCH]

OCC (Siemieniuk et al., TCAD 2022) cuts a product of integers into tiles of a crossbar's size. In the order of the
loops i, j, k a tile of B is written for every tile of A. With k and j outside ("interchange") it is written once for
all of A, so there are ceil(M / 64) times fewer writes. With "parallel" four crossbars take tiles in turns.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

from emu.isa.dtypes import DType
from launch.devices.crossbar import Crossbar
from launch.devices.device import Device, device
from launch.text.units import energy_text, time_text

CONFIGURATIONS = {  # crossbars, and whether loops are interchanged
    "tile": (1, False),
    "interchange": (1, True),
    "parallel": (4, False),
    "both": (4, True),
}


def tiles(size: int, most: int) -> Iterator[slice]:
    """`size` elements as slices of at most `most`."""
    return (slice(start, min(start + most, size)) for start in range(0, size, most))


def product(chip: Device, a: np.ndarray, b: np.ndarray, crossbars: int, interchange: bool) -> np.ndarray:
    """`a` [m, k] times `b` [k, n], both int8: int32 [m, n]."""
    rows, cols = chip.arch.crossbar.rows, chip.arch.columns(DType.i8)  # of weights that stand in one crossbar
    made = np.zeros((len(a), b.shape[1]), np.int32)
    # A matrix that is smaller than a tile would take another crossbar: sizes here are multiples of one.
    held: list[Crossbar] = [chip.acquire(rows, cols, "i8") for _ in range(crossbars)]
    outer = [slice(0, len(a))] if interchange else list(tiles(len(a), rows))
    work = [(i, k, j) for i in outer for j in tiles(b.shape[1], cols) for k in tiles(len(b), rows)]
    for first in range(0, len(work), crossbars):
        turn = list(zip(held, work[first : first + crossbars], strict=False))
        for crossbar, (_, k, j) in turn:
            crossbar.write(b[k, j])
        futures = [(i, j, crossbar.gemm(a[i, k])) for crossbar, (i, k, j) in turn]
        for i, j, future in futures:
            made[i, j] += future.result()
    return made


def main(size: int = 256, arch: str = "occ") -> None:
    """Multiply in every configuration, and print what each takes."""
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-128, 128, (size, size), dtype=np.int8) for _ in range(2))
    golden = a.astype(np.int32) @ b.astype(np.int32)
    base = None
    print(f"{size} x {size} x {size}, int8, on {arch}")
    print(f"{'':12} {'writes':>7} {'cells':>10} {'time':>12} {'':>7} {'energy':>12} {'years':>9}")
    for name, (crossbars, interchange) in CONFIGURATIONS.items():
        with device(arch, cores=crossbars) as chip:
            right = np.array_equal(product(chip, a, b, crossbars, interchange), golden)
            took, writes = chip.simulate(), chip.counters.writes
        if not right:
            sys.exit(f"{name}: the product is wrong")
        if not took.time_ps or not took.wear:
            sys.exit(f"{arch} says nothing of its times: name a chip that has a table [timing]")
        base = base or took.time_ps
        energy = "" if took.energy_pj is None else energy_text(took.energy_pj)
        years = "" if took.lifetime_years is None else f"{took.lifetime_years:.3g}"
        print(
            f"{name:12} {writes:7} {took.wear.cell_writes:10} {time_text(took.time_ps):>12}"
            f" {base / took.time_ps:6.2f}x {energy:>12} {years:>9}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
