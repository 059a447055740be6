"""The suite: every pattern that exists for a number of cores, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from emu.stress.patterns import PATTERNS
from emu.stress.refusal import Unsuitable
from launch.stress.job import StressJob, StressResult, run_stress


def run_suite(job: Mapping[str, Any]) -> Iterator[tuple[str, StressResult | str]]:
    """Per pattern its result, or why it does not exist here; `job` has all else of `StressJob`. Raises EmuErrors."""
    for name in PATTERNS:
        try:
            yield name, run_stress(StressJob(pattern=name, **job))
        except Unsuitable as refusal:
            yield name, str(refusal)
