"""The options of `emu calibrate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from emu.options import ExistingFile, NewFile, Number, Texts, Word, opt
from launch.analog.options import METHOD


@dataclass(frozen=True, kw_only=True)
class CalibrateOptions:
    """What ranges are measured of, how they are chosen, and where they are written."""

    input: Path | None = opt(
        None,
        ExistingFile("FILE.npz"),
        "The data: an .npz with one array per input, for n samples (default: what the network was compiled with).",
    )
    analog: Sequence[str] = opt(
        (),
        Texts("FILE|own"),
        "Cells, wires and converters, as the tables of this TOML file describe them for the chip of the image"
        " (repeatable; default: own, as that describes its own).",
    )
    method: str = opt(
        METHOD,
        Word(table="launch.analog.ranging:METHODS"),
        "How ranges are chosen: all currents that came, all but a percentage, or with the least mean square error.",
    )
    percentile: float | None = opt(
        None, Number(least=1, most=100), "Of percentile: so many percent of all currents are within (default: 99.9)."
    )
    output: Path | None = opt(
        None,
        NewFile(),
        "Write the ranges to this TOML file, which a run takes as tables of cells.",
        flag="--output",
        short="-o",
    )
