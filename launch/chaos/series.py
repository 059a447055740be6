"""A series of disturbed runs, each with a seed of its own, compared with the undisturbed one bit by bit."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from emu.chaos.spec import Chaos
from emu.errors import EmuError
from emu.wording import counted
from launch.chaos.injection import idle_sentence, injections
from launch.text.progress import progress_bar

RIGHT, MISMATCH, BAD_INPUT = 0, 1, 2
SHOWN = 5  # runs that were not equal, or failed

Once = Callable[[Chaos], tuple[str, Mapping[str, int]]]  # one run: digest of its results, faults injected


@dataclass(frozen=True, slots=True)
class ChaosOutcome:
    """A disturbed run: equal to the undisturbed one, or different, or ended by `error`, whose exit code is `code`."""

    seed: int
    equal: bool
    injected: Mapping[str, int]
    error: str = ""
    code: int = RIGHT

    def __str__(self) -> str:
        return f"chaos seed {self.seed}: {self.error or 'what came out differs'}"


@dataclass(frozen=True, slots=True)
class Series:
    """The outcomes of all runs, by seed; `seconds` for all of them."""

    chaos: Chaos
    outcomes: list[ChaosOutcome]
    seconds: float

    @property
    def equal(self) -> int:
        """Runs that gave the same bits as the undisturbed one."""
        return sum(outcome.equal for outcome in self.outcomes)

    @property
    def failed(self) -> list[ChaosOutcome]:
        """Runs that ended with an error."""
        return [outcome for outcome in self.outcomes if outcome.error]

    @property
    def different(self) -> list[ChaosOutcome]:
        """Runs that ended without an error but with other bits: a bug of the emulator."""
        return [outcome for outcome in self.outcomes if not outcome.equal and not outcome.error]

    @property
    def odd(self) -> list[ChaosOutcome]:
        """Runs that differ or failed."""
        return [outcome for outcome in self.outcomes if not outcome.equal]

    @property
    def injected(self) -> dict[str, int]:
        """Faults of all runs, by kind."""
        total: Counter[str] = Counter()
        for outcome in self.outcomes:
            total.update(outcome.injected)
        return dict(total)

    @property
    def exit_code(self) -> int:
        """1 if a run differs; else that of the first error; else 2 if nothing was injected in any; else 0."""
        if self.different:
            return MISMATCH
        return next((outcome.code for outcome in self.failed), BAD_INPUT if self.failure else RIGHT)

    @property
    def failure(self) -> str:
        """Why the series tested nothing, as a sentence; empty if it did."""
        return idle_sentence([outcome.injected for outcome in self.outcomes])

    def lines(self) -> list[str]:
        """Runs that were not equal, then the summary in one line."""
        odd = self.odd
        more = [f"and {len(odd) - SHOWN} more"] if len(odd) > SHOWN else []
        first, count = self.chaos.seed, len(self.outcomes)
        summary = (
            f"chaos, seeds {first} to {first + count - 1}: {self.equal} of {counted(count, 'run')} equal the "
            f"undisturbed one, {len(self.different)} differ, {len(self.failed)} ended with an error; "
            f"{injections(self.injected)}; {self.seconds:.1f} s"
        )
        return [*map(str, odd[:SHOWN]), *more, summary]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "specs": list(self.chaos.specs),
            "first_seed": self.chaos.seed,
            "runs": len(self.outcomes),
            "equal": self.equal,
            "different": [outcome.seed for outcome in self.different],
            "failed": [{"seed": o.seed, "error": o.error, "exit_code": o.code} for o in self.failed],
            "injected": self.injected,
            "seconds": round(self.seconds, 2),
            "exit_code": self.exit_code,
            **({"error": self.failure} if self.failure else {}),
        }


def run_series(chaos: Chaos, count: int, undisturbed: str, once: Once, quiet: bool) -> Series:
    """`count` runs with the seeds of `chaos` and following ones; raises EmuErrors of bad input (exit code 2)."""
    began, outcomes = time.monotonic(), []
    with progress_bar("runs", count, quiet) as advance:
        for seed in range(chaos.seed, chaos.seed + count):
            outcomes.append(_outcome(replace(chaos, seed=seed), undisturbed, once))
            advance()
    return Series(chaos, outcomes, time.monotonic() - began)


def _outcome(chaos: Chaos, undisturbed: str, once: Once) -> ChaosOutcome:
    try:
        digest, injected = once(chaos)
    except EmuError as error:
        if error.exit_code == BAD_INPUT:
            raise
        return ChaosOutcome(chaos.seed, False, error.details.get("injected", {}), str(error), error.exit_code)
    return ChaosOutcome(chaos.seed, digest == undisturbed, injected)


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of names, types, shapes and bytes."""
    digest = sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
