"""The data that a network answers on each chip of a sweep."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from emu.arch import Arch
from emu.arch.chip import PHYSICS
from launch.analog.options import METHOD, PERCENTILE


@dataclass(frozen=True, slots=True)
class SweepData:
    """Inputs, and labels, in an .npz file; how often all are answered, each time by newly programmed cells; the seed of
    all errors, None: that of the chip; how ranges of converters are chosen that are calibrated, and not known, and of
    the method `percentile` the share of currents that is kept, in percent."""

    path: str
    labels: str | None = None
    trials: int = 1
    seed: int | None = None
    method: str = METHOD
    percentile: float = PERCENTILE

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def kind_of_answers(arch: Arch) -> str:
    """All of a description that answers may depend on beside the programs."""
    described = arch.to_dict()
    return json.dumps(
        {table: described[table] for table in ("crossbar", *PHYSICS) if table in described}, sort_keys=True
    )
