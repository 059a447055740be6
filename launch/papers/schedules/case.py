"""What is measured: a network, compiled with a schedule for a chip and timed there, or a host program that calls one;
and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from emu.arch.derived import derived
from emu.arch.read import load_arch
from launch.papers.frame.commands import lines
from launch.sweeps.variations import changes_text

Options = Mapping[str, Any]  # of `emu compile`, by name
BOTH: Options = {"duplicate": "throughput", "pipelined": True}  # in a pipeline the slowest layer counts
SCHEDULES: Mapping[str, Options] = {
    "unscheduled": {},
    "pipeline": {"pipelined": True},
    "duplication": {"duplicate": "latency"},
    "greedy": {"duplicate": "greedy"},
    "HT": {"duplicate": "throughput"},
    "LL": {"duplicate": "latency", "pipelined": True},
    "both": BOTH,
    "stagger": {"stagger": True},
    "both + stagger": {**BOTH, "stagger": True},
    "both + stagger + remap-rows": {**BOTH, "stagger": True, "remap_rows": True},
    "remap-rows": {"remap_rows": True},
}
_FOUND = "linalg-generalize,detect-contractions,im2col,ttgt"
# Of `emu offload`, by name: those of OCC, then Cinnamon's.
OFFLOADS: Mapping[str, Options] = {
    "tile": {"passes": f"{_FOUND},tile,linalg-to-cim"},
    "interchange": {"passes": f"{_FOUND},tile,interchange{{min-writes}},linalg-to-cim"},
    "parallel": {"passes": f"{_FOUND},tile,unroll,linalg-to-cim"},
    "both": {"passes": f"{_FOUND},tile,interchange{{min-writes}},unroll,linalg-to-cim"},
    "asap": {"passes": f"{_FOUND},linalg-to-cinm,cinm-to-cim{{schedule=asap}}"},
    "alap": {"passes": f"{_FOUND},linalg-to-cinm,cinm-to-cim{{schedule=alap}}"},
}
TYPES: Mapping[str, str | None] = {"int8": "qoperator", "float32": None}  # the quantised form of a network of these
KINDS: Mapping[str, Mapping[str, Options]] = {"compiled": SCHEDULES, "offloaded": OFFLOADS}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePoint:
    """A point of a figure. `changes` are keys of the chip's description, which may have a `label`; `cores` that may be
    used (None: all).

    Its `kind` is a row of KINDS. A host program is of `size` (None: its own). `types` are those of weights and
    activations, `segments` and `flow` as in `emu compile` and `emu time`; `peak`: whether the most power and crossbars
    at one time are looked for, too.
    """

    network: str
    schedule: str
    chip: str
    kind: str = "compiled"
    size: int | None = None
    label: str = ""
    types: str = "int8"
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cores: int | None = None
    segments: bool = False
    peak: bool = False
    flow: str = "rendezvous"
    samples: int = 8

    @property
    def options(self) -> Options:
        """What the schedule stands for."""
        return KINDS[self.kind][self.schedule]

    @property
    def given(self) -> dict[str, Any]:
        """All of it as plain values, with the options that the schedule stands for."""
        return {**asdict(self), "changes": dict(self.changes), "options": dict(self.options)}

    @property
    def point(self) -> str:
        """Where it stands between cases of the same network and schedule: what is changed of the chip."""
        return self.changed or ("" if self.cores is None else f"cores={self.cores}")

    @property
    def changed(self) -> str:
        """What is changed of the chip's description, or what that is called."""
        return self.label or changes_text(self.changes)

    def commands(self) -> tuple[str, ...]:
        """The lines of `emu` that come to the same; none of a host program, which no command writes."""
        if self.kind != "compiled":
            return ()
        chip = "chip.toml" if self.changes else self.chip
        cores = self.cores or derived(load_arch(self.chip), self.changes).all_cores
        compiled = {"no_check": True, **self.options, "segments": self.segments}
        timed = {"flow": self.flow, "samples": self.samples, "peak_power": self.peak}
        changed = (f"# chip.toml: what `emu arch {self.chip}` prints, with {self.changed}",) if self.changes else ()
        return (*changed, *lines(self.network, TYPES[self.types], chip, cores, compiled, timed))


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOutcome:
    """What came of a case. Times are ps, energies pJ, of a sample; powers mW.

    `no_peak` says why there is no peak, of a case that is timed and has none. `steady`: times of samples have come
    again.

    Of a host program: `call_sites`; `writes`, and the `steps` that products take; the `share` of its operations, and of
    the cells of written crossbars, `use`; the `size` that this is of, and the one that was `executed`, in which so many
    elements `differ`. They are None of a network.
    """

    cores: int = 0
    crossbars: int = 0
    latency_ps: int = 0
    period_ps: int = 0
    steady: bool = True
    energy_pj: float | None = None
    peak_mw: float | None = None
    peak_crossbars: int | None = None
    no_peak: str = ""
    call_sites: int | None = None
    writes: int | None = None
    steps: int | None = None
    share: float | None = None
    use: float | None = None
    lifetime_years: float | None = None
    size: int | None = None
    executed: int | None = None
    differ: int | None = None

    @property
    def samples_per_s(self) -> float | None:
        """In the steady state."""
        return 1e12 / self.period_ps if self.period_ps else None
