"""What a run is asked for about its trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from launch.tracing.recording import Recording

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

    def recording(self, out: Path, flow: str) -> Recording:
        """What records a run of the image `out`; raises InputError, also for a chip or programs without times."""
        from launch.tracing.beside import simulated
        from launch.tracing.recording import Recording

        beside = simulated(out, None if self.beside == OWN else self.beside, flow) if self.beside else None
        return Recording(self.path, self.most, beside)


def most_of(cores: int) -> int:
    """Events that each of so many cores keeps."""
    return max(LEAST, min(MOST, ALL // max(cores, 1)))
