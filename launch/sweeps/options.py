"""The options of a sweep, beside those of compiling and timing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from emu.options import ExistingFile, NewFile, Number, Text, Texts, Whole, Word, opt


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """What is varied of which chips, which points are computed, and by what they are compared."""

    vary: tuple[str, ...] = opt(
        (),
        Texts("KEY=V1,V2,..."),
        "A key of the architecture file with its table (crossbar.adc_count=1,2,4), or an option of emu compile"
        " (duplicate=none,throughput) or emu time, with its values. Repeatable: all combinations. A..B is a range; A=B="
        " ties keys with equal values, A:B=1:2,3:4 in step.",
    )
    arch: str | None = opt(
        None,
        Text("CHIP,..."),
        "The chip that is changed: a preset's name or a TOML file (default: the one that OUT was compiled for); of"
        " several each is.",
    )
    metric: str | None = opt(
        None,
        Text("NAME,NAME,..."),
        "Two or more metrics that points are compared by (default: latency,energy,area; of chips alone"
        " peak_tops,chip_power_mw,chip_mm2).",
    )
    input: Path | None = opt(
        None,
        ExistingFile("FILE.npz"),
        "Data that the network answers on each chip, whose cells and converters do to the answers what the chip says of"
        " them: for the metrics accuracy, agreement, snr and products.",
    )
    labels: str | None = opt(None, Text("KEY"), "Array of --input with class labels: gives the accuracy.")
    analog: Path | None = opt(
        None,
        ExistingFile("FILE"),
        "Tables of cells, wires and converters (TOML) that every chip gets before its keys are changed.",
    )
    trials: int | None = opt(
        None, Whole(), "Of --input: program the cells N times, and answer all data each time (default: 1)."
    )
    analog_seed: int | None = opt(
        None, Whole(least=0), "Of --input: the seed of all errors and noise (default: that of the chip, or 0)."
    )
    method: str | None = opt(
        None,
        Word(table="launch.analog.ranging:METHODS"),
        "Of --input: how the data chooses ranges of converters, by themselves for each chip that has them"
        " calibrated and knows none (default: min-max).",
    )
    percentile: float | None = opt(
        None,
        Number(least=1, most=100),
        "Of --method percentile: so many percent of all currents are within (default: 99.9).",
    )
    points: int | None = opt(None, Whole(), "Compute only N of all points, chosen as --choice says.")
    choice: str | None = opt(
        None,
        Word(table="launch.sweeps.space:WAYS"),
        "How --points chooses: at equal distances, the first and the last among them (grid, the default), or at"
        " random.",
    )
    choice_seed: int | None = opt(None, Whole(least=0), "Of random: another seed chooses others (default: 0).")
    resume: Path | None = opt(
        None,
        NewFile(),
        "Keep the figures of each point in this file as soon as it has them, and compute no point again that has them"
        " there.",
    )
