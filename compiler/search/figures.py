"""What a judge says of programs, and what one is: whoever starts a search hands it in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from emu.program.program import Program


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFigures:
    """Of one sample: bytes between cores, times the links that they cross; ps, pJ, mW. None: not known of this chip.

    `latency_ps` is that of a sample, `period_ps` what each takes of many that follow each other.
    """

    bytes_sent: int
    byte_hops: int
    latency_ps: int | None = None
    period_ps: int | None = None
    energy_pj: float | None = None
    peak_power_mw: float | None = None


Judge = Callable[
    [Mapping[int, Program]], SampleFigures
]  # of programs by core; raises EmuErrors for what it cannot judge
