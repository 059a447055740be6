"""OCC tiles products for crossbars that a host calls, writes as few tiles as it can, and uses several at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from compiler.offload.kernels import KERNELS
from launch.papers.frame.figure import Figure, MeasuredValue, Measurement, Paper, PublishedValue, Row, WantedOptions
from launch.papers.frame.networks import check_names
from launch.papers.schedules.figure import published, schedule_figure
from launch.text.columns import Column

WRITE = 2500.0  # ns of a write of its device: of a row, or of a tile of 64 rows
TILE = 64  # rows of a tile
SCHEDULES = ("tile", "interchange", "parallel", "both")
NETWORKS = (
    *("mm", "tmm", "2mm", "3mm", "mlp3", "mv", "conv1d", "conv2d", "conv3d"),
    *("ab-acd-dbc", "abc-acd-db", "abcd-aebf-dfce", "kronecker3", "lstm", "wavenet"),
)
# Rows of the first factor of kernels of one product.
ROWS = {"mm": 256, "tmm": 256, "mv": 1, "conv1d": 256, "conv2d": 256**2, "conv3d": 256**3, "ab-acd-dbc": 128,
        "abc-acd-db": 128**2, "abcd-aebf-dfce": 128**2, "lstm": 1}  # fmt: skip
# Speed-ups over an ARM core, with each of SCHEDULES.
GAINS: Mapping[str, tuple[float, float, float, float]] = {
    "mm": (28.1, 32.2, 112.5, 128.6),
    "2mm": (30.4, 34.8, 121.8, 139.2),
    "mlp3": (30.2, 34.6, 121, 138),
    "kronecker3": (40.6, 45.6, 72.1, 79.8),
    "abc-acd-db": (4.36, 4.62, 7.22, 7.40),
    "conv2d": (1.08, 1.13, 1.08, 1.13),
    "wavenet": (1.89, 1.90, 1.96, 1.97),
    "lstm": (0.32, 0.38, 0.32, 0.38),
    "mv": (0.32, 0.37, 1.26, 1.48),
}
YEARS = {"mm": (8.05, 10.8), "mlp3": (2.68, 3.59), "mv": (2.21, 2.21), "lstm": (2.10, 2.10)}  # its sheet

SITES = "a contraction was not found, or a loop was not moved"
WRITING = (
    "the published sheet takes 0.85 of the time of writes for the interchange, whatever the kernel, and adds what"
    " the host does; as we read its counts, they are of words of four bytes that its simulator moves: 2.5 us for"
    " each one written, vectors, too, and 1 us for each one read. Here a write is 2.5 us for a row of cells or for a"
    " tile, a vector takes 1 us, writes fall as they are counted, and the host takes no time"
)
OVERHEADS = (
    "the published times have the host's copies for im2col and TTGT in them, which no tile makes faster; without"
    " these the sheet divides by 4. Here the host takes no time, and as many tiles of a kernel work at a time as it"
    " has along its longer loop: 2 of kronecker3 and of abc-acd-db"
)
LSTM = (
    "the published lstm is as fast on one tile as on four, although the sheet's factor is 2, and faster by the"
    " interchange, although one vector leaves nothing to interchange. Here its eight tiles are four at a time"
)
LIFETIME = (
    "as we read the published sheet, it takes the words that one run writes, of matrices of 128 x 128, for those of"
    " a second (endurance x 131,072 / 16,512 / 31,536,000 of mm), which is no time that the kernel takes. Here runs"
    " follow each other without a pause, on the tiles that they use"
)
SHARE = (
    "the share of the paper is of time on an ARM core. Here it is of operations on elements: a sum of products is"
    " two per product, and any function one, so what is slow on a core counts as little as what is fast"
)
USE = (
    "the paper tells 6.5 % of lstm. Its published sheet has 100 %, as here: the 128 x 256 weights of a step of 64"
    " cells fill eight tiles"
)


def _published() -> Iterator[PublishedValue]:
    """What needs neither an ARM core nor McPAT; factors of time by its speed-ups."""
    for network, kernel in KERNELS.items():
        yield published("tile", "call sites", SITES, network, paper=kernel.sites)
    for network, rows in ROWS.items():
        yield published("interchange", "fewer writes", SITES, network, paper=math.ceil(rows / TILE))
    for network, (tile, *others) in GAINS.items():
        for schedule, gain in zip(SCHEDULES[1:], others, strict=True):
            why = LSTM if network == "lstm" else OVERHEADS if schedule == "parallel" else WRITING
            yield published(schedule, "latency gain", why, network, paper=round(gain / tile, 3))
    for of, why, figures in (
        ("share offloaded", SHARE, {"mlp3": 0.995, "wavenet": 0.5}),
        ("use of tiles", USE, {"mm": 1.0, "conv2d": 0.02, "lstm": 0.065}),
    ):
        for network, figure in figures.items():
            yield published("tile", of, why, network, paper=figure)
    for network, years in YEARS.items():
        for schedule, rerun in zip(("tile", "both"), years, strict=True):
            yield published(schedule, "years", LIFETIME, network, rerun=rerun)


POINTS = ({"timing.crossbar.write_row_ns": WRITE}, {"timing.crossbar.write_row_ns": WRITE / TILE})


def _count(wanted: WantedOptions) -> list[Measurement]:
    """Each kernel with all schedules."""
    check_names("networks", wanted.networks, tuple(KERNELS))
    given = {"chip": "occ", "schedules": SCHEDULES, "points": POINTS}
    return [
        Measurement(
            label=name,
            function="launch.papers.schedules.counted:counted_kernel",
            given={"network": name, **given},
        )
        for name in wanted.networks or KERNELS
    ]


def _counted(found: Sequence[MeasuredValue]) -> list[Row]:
    """A row of each kernel; factors of time are over the first schedule, as those of the paper beside them."""
    rows: list[Row] = []
    for each in found:
        if each.reason:
            continue
        made = dict(each.values)
        row, tile = made.pop("times_ps"), made["writes"]
        gains = GAINS.get(made["network"])
        rows.append(
            {
                **made,
                "sites": [f"{sites} of {made['known_sites']}" for sites in made["sites"]],
                "writes": tile[0],
                "interchanged": tile[1],
                "time_row": _factors(row[0]),
                "time_tile": _factors(row[1]),
                "time_paper": _factors([1 / gain for gain in gains]) if gains else None,
            }
        )
    return rows


def _factors(times: Sequence[float]) -> list[float]:
    first, *others = times
    return [first / time for time in others]


def _in_short(factors: Sequence[float]) -> str:
    return " / ".join(f"{factor:.3g}" for factor in factors)


PAPER = Paper(
    about="kernels that call crossbars: tiles, fewest writes, several at a time",
    source="Siemieniuk et al., OCC, TCAD 2022; factors of time from its speed-ups over an ARM core; re-run: the sheet"
    " of its measurements that is published with its code",
    figures=[
        schedule_figure(
            "kernels",
            "OCC's kernels on its device: tiled, with fewest writes, on several tiles at a time",
            chip="occ",
            networks=NETWORKS,
            schedules=SCHEDULES,
            points=POINTS,
            labels=("2.5 us a row", "2.5 us a tile"),
            published=[*_published()],
            kind="offloaded",
        ),
        Figure(
            name="table",
            title="OCC's kernels in its sizes, counted: writes, and times with the interchange, several tiles, both",
            chip="occ",
            measure=_count,
            rows=_counted,
            columns=[
                Column("network", "kernel", "`{}`".format, to_left=True),
                Column("size", "size", str),
                Column("executed", "executed at", str),
                Column("sites", "call sites", ", ".join),
                Column("writes", "writes", "{:,}".format),
                Column("interchanged", "interchanged", "{:,}".format),
                Column("time_row", "time, a row", _in_short),
                Column("time_tile", "time, a tile", _in_short),
                Column("time_paper", "time, paper", _in_short),
                Column("share", "offloaded", "{:.1%}".format),
                Column("use", "use of tiles", "{:.3g}".format),
            ],
            takes=("networks",),
        ),
    ],
)
