"""What papers, and re-runs of their code, give for the figures, to stand beside ours; each with how models differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from compiler.offload.kernels import KERNELS
from launch.schedules.differences import DIFFERENCES
from launch.schedules.experiments import EXPERIMENTS, Row

CLOSE = 0.2  # a share of the published figure: what is further away is explained
CIM_MLC = "Qu et al., CIM-MLC, ASPLOS 2024; re-run: its published code, images of 224 x 224, without the last product"
OCC = (
    "Siemieniuk et al., OCC, TCAD 2022; factors of time from its speed-ups over an ARM core; re-run: the sheet of its"
    " measurements that is published with its code"
)
TILE = 64  # rows of a tile
# Rows of the first factor of OCC's kernels of one product.
OCC_ROWS = {"mm": 256, "tmm": 256, "mv": 1, "conv1d": 256, "conv2d": 256**2, "conv3d": 256**3, "ab-acd-dbc": 128,
            "abc-acd-db": 128**2, "abcd-aebf-dfce": 128**2, "lstm": 1}  # fmt: skip
OCC_SCHEDULES = ("interchange", "parallel", "both")
# Speed-ups of OCC over an ARM core: tiled, with each of these schedules.
OCC_GAINS: Mapping[str, tuple[float, float, float, float]] = {
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
OCC_YEARS = {"mm": (8.05, 10.8), "mlp3": (2.68, 3.59), "mv": (2.21, 2.21), "lstm": (2.10, 2.10)}  # its sheet
RAPTOR = "the thesis on channel-wise lowering in RAPTOR, Figure A.3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure of the literature: `of` says what of a row of `network` and `schedule` it is compared with.

    Without a `network` its source does not tell of which one it is: it is compared with all of the experiment's own.

    `paper` and `rerun` may be unknown; `why` names the row of DIFFERENCES that explains what is far away.
    """

    experiment: str
    schedule: str
    of: str
    why: str
    network: str = ""
    paper: float | None = None
    rerun: float | None = None
    what: str = ""
    source: str = CIM_MLC


def _latency(row: Row) -> float | None:
    """How many times faster one image is than in the reference."""
    return _over(row.reference, row.outcome.latency_ps)


def _overlap(row: Row) -> float | None:
    """Latency of the reference over time per sample."""
    return _over(row.reference, row.outcome.period_ps)


def _pace_before(row: Row) -> float | None:
    """Time per sample of the schedule before over that of this one."""
    return row.before.period_ps / row.outcome.period_ps if row.before and row.outcome.period_ps else None


def _latency_before(row: Row) -> float | None:
    """Latency of the schedule before over that of this one."""
    return _over(row.before, row.outcome.latency_ps)


def _peak_saved(row: Row) -> float | None:
    """The share of the reference's peak power that is saved, or of its crossbars at work if power is not known."""
    if row.reference is None:
        return None
    had, has = row.reference.peak_mw, row.outcome.peak_mw
    if had is None or has is None:
        had, has = row.reference.peak_crossbars, row.outcome.peak_crossbars
    return 1 - has / had if had and has is not None else None


def _fewer_writes(row: Row) -> float | None:
    """Writes of the reference over those of this schedule."""
    before, now = row.reference and row.reference.writes, row.outcome.writes
    return before / now if before and now else None


def _over(reference: object, ps: int) -> float | None:
    latency = getattr(reference, "latency_ps", 0)
    return latency / ps if latency and ps else None


MEASURES: Mapping[str, Callable[[Row], float | None]] = {
    "latency gain": _latency,
    "overlap gain": _overlap,
    "pace gain over the schedule before": _pace_before,
    "latency gain over the schedule before": _latency_before,
    "peak saved": _peak_saved,
    "samples per second": lambda row: row.outcome.samples_per_s,
    "call sites": lambda row: row.outcome.call_sites,
    "fewer writes": _fewer_writes,
    "share offloaded": lambda row: row.outcome.share,
    "use of tiles": lambda row: row.outcome.use,
    "years": lambda row: row.outcome.lifetime_years,
    "uJ per sample": lambda row: None if row.outcome.energy_pj is None else row.outcome.energy_pj / 1e6,
}


def _levels() -> Iterator[Published]:
    """CIM-MLC's headline figure, network by network."""
    networks = ("resnet18", "resnet34", "resnet50", "resnet101")
    rows: tuple[tuple[str, str, str, tuple[float | None, ...], tuple[float, ...]], ...] = (
        ("pipeline", "overlap gain", "products", (2.3, None, None, 4.7), (2.33, 3.10, 4.45, 4.92)),
        ("duplication", "latency gain", "copies", (25.4, None, None, 3.1), (20.2, 9.48, 7.08, 2.66)),
        ("both", "overlap gain", "products", (None, None, None, None), (80.8, 48.6, 65.1, 30.3)),
        (
            "both + stagger",
            "pace gain over the schedule before",
            "stagger",
            (None, None, 1.8, 1.4),
            (1.04, 1.10, 1.29, 1.08),
        ),
        (
            "both + stagger + remap-rows",
            "pace gain over the schedule before",
            "spreading",
            (None, None, 1.1, None),
            (1.05, 1.03, 1.04, 1.03),
        ),
    )
    for schedule, of, why, papers, reruns in rows:
        for network, paper, rerun in zip(networks, papers, reruns, strict=True):
            yield Published(
                experiment="levels",
                schedule=schedule,
                of=of,
                why=why,
                network=network,
                paper=paper,
                rerun=rerun,
            )


def _occ() -> Iterator[Published]:
    """What OCC tells of its kernels that needs neither an ARM core nor McPAT; its factors of time by its speed-ups."""
    made = partial(Published, experiment="occ", source=OCC)
    for network, kernel in KERNELS.items():
        yield made(schedule="tile", of="call sites", why="sites", network=network, paper=kernel.sites)
    for network, rows in OCC_ROWS.items():
        fewer = math.ceil(rows / TILE)
        yield made(schedule="interchange", of="fewer writes", why="sites", network=network, paper=fewer)
    for network, gains in OCC_GAINS.items():
        tile, *others = gains
        for schedule, gain in zip(OCC_SCHEDULES, others, strict=True):
            why = "lstm" if network == "lstm" else "overheads" if schedule == "parallel" else "writing"
            yield made(schedule=schedule, of="latency gain", why=why, network=network, paper=round(gain / tile, 3))
    for of, why, figures in (
        ("share offloaded", "share", {"mlp3": 0.995, "wavenet": 0.5}),
        ("use of tiles", "use", {"mm": 1.0, "conv2d": 0.02, "lstm": 0.065}),
    ):
        for network, figure in figures.items():
            yield made(schedule="tile", of=of, why=why, network=network, paper=figure)
    for network, years in OCC_YEARS.items():
        for schedule, rerun in zip(("tile", "both"), years, strict=True):
            yield made(schedule=schedule, of="years", why="lifetime", network=network, rerun=rerun)


PUBLISHED: tuple[Published, ...] = (
    *_levels(),
    *_occ(),
    Published(
        experiment="peak-power",
        schedule="stagger",
        of="peak saved",
        why="peak",
        network="resnet101",
        paper=0.85,
    ),
    Published(
        experiment="peak-crossbars",
        schedule="both + stagger",
        of="peak saved",
        why="peak",
        network="resnet101",
        paper=0.85,
    ),
    Published(
        experiment="puma",
        schedule="both + stagger",
        of="peak saved",
        why="peak",
        network="vgg16",
        paper=0.75,
    ),
    Published(
        experiment="greedy",
        schedule="greedy",
        of="latency gain",
        why="greedy",
        paper=1 / (1 - 0.84),
        what="84 % fewer cycles",
    ),
    Published(
        experiment="greedy",
        schedule="duplication",
        of="latency gain",
        why="copies",
        paper=1 / (1 - 0.95),
        what="95 % fewer cycles",
    ),
    Published(
        experiment="greedy",
        schedule="duplication",
        of="latency gain over the schedule before",
        why="greedy",
        paper=3.2,
    ),
    Published(experiment="jia", schedule="both", of="latency gain", why="rewrites", paper=3.7),
    Published(experiment="jain", schedule="both", of="latency gain", why="rewrites", network="vgg7", paper=2.3),
    *(
        Published(
            experiment="cores",
            schedule="HT",
            of=of,
            why="chip",
            network="resnet18",
            paper=paper,
            what=f"{compiler}, at its best",
            source=RAPTOR,
        )
        for of, figures in (
            ("samples per second", {"RAPTOR": 2070, "PIMCOMP": 103}),
            ("uJ per sample", {"RAPTOR": 90, "PIMCOMP": 2800}),
        )
        for compiler, paper in figures.items()
    ),
)
AS_IT_IS = "as it is"  # a point at which nothing of the chip is changed
SMALLER_IS_BETTER = ("uJ per sample",)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A published figure and `ours`, at a `point` if ours differ between points.

    `ratio` is ours to the re-run, if there is one, else to the paper; `why` tells of one that is far from 1.
    """

    network: str
    point: str
    what: str
    paper: float | None
    rerun: float | None
    ours: float
    ratio: float
    why: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def compared(experiment: str, rows: Sequence[Row]) -> list[Comparison]:
    """Every published figure of an experiment of which there is a row, beside the best of these."""
    found: list[Comparison] = []
    for entry in PUBLISHED:
        if entry.experiment == experiment:
            found.extend(_beside(entry, rows))
    return found


def _beside(entry: Published, rows: Sequence[Row]) -> Iterator[Comparison]:
    values: dict[str, dict[str, list[float]]] = {}
    networks = (entry.network,) if entry.network else EXPERIMENTS[entry.experiment].networks
    for row in rows:
        if row.case.schedule == entry.schedule and row.case.network in networks and not row.outcome.reason:
            value = MEASURES[entry.of](row)
            if value is not None:
                point = row.case.changed
                values.setdefault(row.case.network, {}).setdefault(point, []).append(value)
    best = min if entry.of in SMALLER_IS_BETTER else max
    given = entry.paper if entry.rerun is None else entry.rerun
    assert given is not None, entry
    what = f"{entry.schedule}: {entry.of}{f' ({entry.what})' if entry.what else ''}"
    for network, points in values.items():
        found = {point: best(several) for point, several in points.items()}
        if len(set(found.values())) == 1:
            found = {"": next(iter(found.values()))}
        elif "" in found:
            found = {point or AS_IT_IS: ours for point, ours in found.items()}
        for point, ours in found.items():
            ratio = ours / given
            why = DIFFERENCES[entry.why] if abs(ratio - 1) > CLOSE else ""
            yield Comparison(network, point, what, entry.paper, entry.rerun, ours, ratio, why, entry.source)
