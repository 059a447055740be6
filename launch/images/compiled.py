"""The report of a finished compilation as plain values, which a cache keeps with the image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from emu.files import shown
from emu.wording import counted
from launch.images.chips import chip_line
from launch.images.host_share import host_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A compiled model, or text, `source` in the directory `out` (None: no programs were written).

    `golden` says who computed the stored golden outputs ("" if nobody), `seconds` how long it took in all, `steps` by
    step, `check` what the checker says (None: it was not asked), `idle` what is left of the chip (None: nothing that is
    known of), `chips` what crosses between several (None: of one, or nobody knows). `found`: in a cache, compiled
    by an earlier run.
    """

    source: Path
    out: Path | None
    arch: str
    cores: int
    crossbars: int
    utilisation: float
    instructions: int
    golden: str = ""
    seconds: float = 0.0
    steps: Mapping[str, float] = field(default_factory=dict[str, float])
    warnings: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    check: Mapping[str, Any] | None = None
    host: Mapping[str, Any] | None = None
    idle: Mapping[str, Any] | None = None
    chips: Mapping[str, Any] | None = None
    found: bool = False

    def host_lines(self) -> list[str]:
        """Lines about nodes that are left to the host; none if there are none."""
        return host_lines(self.host) if self.host is not None else []

    def idle_lines(self) -> list[str]:
        """Lines about idle cores of the chip; none if there are none, or if that is unknown."""
        return [self.idle["sentence"]] if self.idle is not None else []

    def chip_lines(self) -> list[str]:
        """A line about several chips; none of one."""
        return [chip_line(self.chips)] if self.chips is not None else []

    def line(self) -> str:
        """The report as one line."""
        target = f" -> {self.out}" if self.out else ""
        return (
            f"{self.source.name}{target}: {counted(self.cores, 'core')}, {counted(self.crossbars, 'crossbar')} "
            f"({self.utilisation:.1%} of what these cores have), {counted(self.instructions, 'instruction')}, "
            f"golden {self.golden or 'none'}, {self._checked()}{'cached' if self.found else f'{self.seconds:.2f} s'}"
        )

    def _checked(self) -> str:
        if self.check is None:
            return ""
        unproved = sum(verdict["verdict"] == "unproved" for verdict in self.check["verdicts"])
        return "check proved, " if self.check["proved"] else f"check: {unproved} not proved, "

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return {
            "model": str(self.source),
            "out": str(self.out) if self.out else None,
            "arch": self.arch,
            "cores": self.cores,
            "crossbars": self.crossbars,
            "utilisation": self.utilisation,
            "instructions": self.instructions,
            "golden": self.golden or None,
            "seconds": round(self.seconds, 4),
            "steps": {name: round(seconds, 4) for name, seconds in self.steps.items()},
            "warnings": list(self.warnings),
            "unchanged": list(self.unchanged),
            "check": self.check,
            "host": self.host,
            "idle": self.idle,
            "chips": self.chips,
        }

    def stored(self) -> dict[str, Any]:
        """The report as JSON, for `restored`; the path of the image is that of the entry."""
        return asdict(self) | {"source": str(self.source), "out": None, "found": False}


def restored(values: Mapping[str, Any], source: Path, out: Path) -> Compiled:
    """The report from `stored`, for the model at `source` and the image at `out`; raises TypeError for other values.

    Sentences name the model by where it stands now.
    """
    before = Compiled(**{**values, "source": Path(values["source"])})
    warnings = (text.replace(shown(before.source), shown(source)) for text in before.warnings)
    return replace(
        before, source=source, out=out, warnings=tuple(warnings), unchanged=tuple(before.unchanged), found=True
    )
