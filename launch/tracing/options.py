"""The options of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MOST = 1 << 13  # events of a core that are kept, unless told otherwise, ...
ALL = 1 << 19  # ... and of all cores
LEAST = 256
OWN = "own"  # in place of a chip: the one that a network was compiled for


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The file, how many events of a core it keeps, and the chip whose simulated time stands beside it ("": none).

    Without a number it is `MOST`, or fewer on a chip of many cores.
    """

    path: Path
    most: int | None = None
    beside: str = ""


def most_of(cores: int) -> int:
    """Events that each of so many cores keeps."""
    return max(LEAST, min(MOST, ALL // max(cores, 1)))
