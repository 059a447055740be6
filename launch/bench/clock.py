"""Fair timing: both sides in turns, medians of each."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence


def seconds(work: Callable[[], object]) -> float:
    """The time that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def interleaved(ours: Callable[[], float], theirs: Callable[[], float], runs: int) -> tuple[float, float]:
    """Medians of `runs` values of each side, taken in turns so that both meet the same disturbances."""
    pairs = [(ours(), theirs()) for _ in range(runs)]
    return statistics.median(pair[0] for pair in pairs), statistics.median(pair[1] for pair in pairs)


def per_call(work: Callable[[], object], least: float) -> float:
    """Seconds of one call of something short: as many calls as take `least` seconds, at least one."""
    calls, began = 0, time.perf_counter()
    while True:
        work()
        calls += 1
        passed = time.perf_counter() - began
        if passed >= least:
            return passed / calls


def least_in_turns(works: Sequence[Callable[[], object]], runs: int, least: float) -> list[float]:
    """The least seconds of one call of each of `works`, of `runs` values taken in turns: what it costs undisturbed."""
    turns = [[per_call(work, least) for work in works] for _ in range(runs)]
    return [min(values) for values in zip(*turns, strict=True)]
