"""The options of a run that say what is compared, and how: of `emu launch`, `emu validate`, and from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emu.options import Flag, Number, Text, Texts, Whole, opt
from launch.analog.options import AnalogOptions


@dataclass(frozen=True, kw_only=True)
class CompareOptions(AnalogOptions):
    """What a run is compared by, and what it runs on; `chaos_runs` are disturbed runs to compare with an undisturbed
    one (0: it is disturbed)."""

    labels: str = opt(
        "",
        Text("KEY"),
        "Array of --input with class labels: gives the accuracy.",
        needs=("input", "names an array of the input file"),
    )
    min_accuracy: float | None = opt(
        None,
        Number(most=1),
        "Fail if fewer labels are right: a share, 0 to 1. With --analog the lower bound of its interval counts.",
        needs=("labels", "counts right labels"),
    )
    repeat: int = opt(1, Whole(), "Run all samples this many times.")
    keep: Sequence[str] = opt(
        (), Texts("NODE|all"), "Compare the output of this ONNX node (or tensor), too (repeatable)."
    )
    keep_informs: bool = opt(False, Flag(), "Kept tensors that differ from the golden ones do not fail the run.")
    bisect: bool = opt(
        False,
        Flag(),
        "After a run that differs, name the first wrong node, its core, instruction, crossbar or message.",
        idle_with="analog",
    )
    tolerance: float | None = opt(
        None,
        Number(),
        "Largest allowed difference of floats, relative to the largest golden magnitude of the sample "
        "(default 1e-4 for float32, 1e-2 for float16). Integers must always be equal.",
    )
    allow_nan: bool = opt(False, Flag(), "Let outputs pass whose golden elements are all NaN.")
    chaos_runs: int = opt(
        0,
        Whole(least=0),
        "Power on N more times, with chaos seeds from --chaos-seed on, and compare with the undisturbed run.",
        typed=None,
    )
