"""What is measured: a network, compiled with a schedule for a chip and timed there; and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A point of a figure. `changes` are keys of the chip's description; `cores` that may be used (None: all).

    `types` are those of weights and activations, `segments` and `flow` as in `emu compile` and `emu time`; `peak`:
    whether the most power and crossbars at one time are looked for, too.
    """

    network: str
    schedule: str
    chip: str
    types: str = "int8"
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cores: int | None = None
    segments: bool = False
    peak: bool = False
    flow: str = "rendezvous"
    samples: int = 8

    @property
    def key(self) -> str:
        """All of it as one line of JSON, with the options that the schedule stands for."""
        return json.dumps({**asdict(self), "options": SCHEDULES[self.schedule]}, sort_keys=True)

    @property
    def point(self) -> str:
        """Where it stands between cases of the same network and schedule: what is changed of the chip."""
        from launch.sweeps.variations import changes_text

        return changes_text(self.changes) or ("" if self.cores is None else f"cores={self.cores}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a case, or the `reason` why there is none. Times are ps, energies pJ, of a sample; powers mW.

    `no_peak` says why there is no peak, of a case that is timed and has none. `steady`: times of samples have come
    again. `seconds` are of this machine: compiling and timing.
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
    reason: str = ""
    seconds: float = 0.0

    @property
    def samples_per_s(self) -> float | None:
        """In the steady state."""
        return 1e12 / self.period_ps if self.period_ps else None
