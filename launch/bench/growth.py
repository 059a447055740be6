"""Rows about growth: whether a message or an instruction costs more where there are more cores, samples or bytes."""

from __future__ import annotations

from collections.abc import Sequence

from emu.wording import counted
from launch.bench.measurement import RowMeasurement
from launch.bench.probe import probe
from launch.bench.row import BenchRow, at_most
from launch.bench.traffic import of_chips
from launch.bench.workshop import Workshop

ROUNDS = {"message": 16, "instruction": 500}  # of a sample: what its begin and end cost is little beside them
RUNS = 3  # of chips that have hundreds of cores or samples, where each takes a second
USUAL = {"cores": 16, "samples": 1, "size": 64}
NOUNS = {"cores": "core", "samples": "sample", "size": "byte"}


def growth(work: Workshop, kind: str, over: str, sizes: Sequence[int]) -> RowMeasurement:
    """Processor microseconds of a message or an instruction (`kind`) with the larger of two `sizes`, and the smaller.

    `over` is what grows: `cores`, `samples`, or `size` in bytes: then it is of so many bytes as the smaller has.
    """
    runs = min(RUNS, work.settings.few)
    small, large = sorted(sizes)
    rounds = max(2, ROUNDS[kind] // (8 if work.settings.quick else 1))
    usual = USUAL | ({"cores": 2, "rounds": 4 * rounds} if over == "size" else {"rounds": rounds})
    loads = [{"kind": kind, **usual, over: value} for value in (small, large)]
    fewer, more = (each["processor"] * 1e6 for each in probe(of_chips, loads=loads, runs=runs).result)
    if over == "size":
        more *= small / large
    per = f"{small} bytes of a message" if over == "size" else f"{'an' if kind == 'instruction' else 'a'} {kind}"
    note = f"processor time of all processes for {per}, with {counted(large, NOUNS[over])}; medians of {runs}, in turns"
    against = f"the same with {counted(small, NOUNS[over])}"
    return RowMeasurement(ours=more, baseline=fewer, unit="us", against=against, note=note)


ROWS = tuple(
    BenchRow(
        f"{kind}-growth-{over}",
        f"processor time of {title} with {of}",
        growth,
        {"kind": kind, "over": over, "sizes": sizes},
        **at_most(1.2),
    )
    for kind, over, sizes, title, of in (
        ("message", "cores", (64, 512), "a message", "the number of cores"),
        ("message", "samples", (1, 64), "a message", "the number of samples"),
        ("message", "size", (1 << 20, 4 << 20), "a byte in a message", "the size of the message"),
        ("instruction", "cores", (64, 512), "an instruction", "the number of cores"),
        ("instruction", "samples", (1, 64), "an instruction", "the number of samples"),
    )
)
