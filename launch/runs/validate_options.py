"""The options of `emu validate`, by their names, and of the same from Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from compiler.basis.options import CompileOptions
from emu.options import ExistingFile, Flag, NewFolder, Text, Whole, opt
from launch.runs.comparing import CompareOptions
from launch.runs.kinds import GoldenSource, Limit

if TYPE_CHECKING:
    import numpy as np

    from emu.arch import Arch

    Given = str | Path | Mapping[str, np.ndarray] | tuple[tuple[str, str], ...] | None  # inputs, the last ones as text


@dataclass(frozen=True, kw_only=True)
class ValidateOptions(CompileOptions, CompareOptions):
    """The parameters of `validate` and the options of `emu validate` by name: what to compile, run and compare.

    `input` is an .npz file, or arrays by name, each (samples,) + shape or one sample (None: `samples` are drawn from
    `seed`); `max_cores` to `max_bytes` are numbers, or ratios to `baseline` such as "1.1x".
    """

    arch: str | Arch = "default"
    input: Given = None
    golden: str | Path = opt(
        "onnxruntime",
        GoldenSource(),
        "What to compare with: an evaluator (numpy is another name of reference), a file, or none.",
    )
    seed: int = opt(
        0, Whole(least=0), "Seed of the inputs, without --input.  [default: 0]", typed=None, idle_with="input"
    )
    samples: int = opt(
        1, Whole(), "Number of samples drawn from --seed, without --input.  [default: 1]", typed=None, idle_with="input"
    )
    verify_levels: bool = opt(
        False,
        Flag(),
        "Execute the network after every pass, and last its programs, on the same input; name the first pass and"
        " operation that change it.",
        idle_with="analog",
    )
    max_cores: int | str | None = opt(
        None, Limit("N|Rx"), "Fail if more cores hold a program (1.1x: than in --baseline).", group="budget"
    )
    max_crossbars: int | str | None = opt(None, Limit("N|Rx"), "Fail if more crossbars are in use.", group="budget")
    max_messages: int | str | None = opt(
        None, Limit("N|Rx"), "Fail if cores send more messages per sample.", group="budget"
    )
    max_bytes: int | str | None = opt(None, Limit("N|Rx"), "Fail if cores send more bytes per sample.", group="budget")
    max_latency_ratio: float | str | None = opt(
        None,
        Limit("R", ratio_only=True),
        "Fail if a sample takes R times as long as in --baseline, on a machine as fast.",
        group="budget",
    )
    baseline: str | Path | None = opt(
        None, ExistingFile("FILE.json"), "What --json printed of an earlier run, or of a suite."
    )
    keep_artifacts: str | Path | None = opt(
        None,
        NewFolder("DIR"),
        "Keep image, inputs, outputs, golden values, logs, report and a script that repeats it, if the run fails.",
    )
    name: str = opt("", Text("NAME"), "Name of the folder of the run there (default: the name of the model).")
    cache: str | Path | None = opt(None, NewFolder(), "Cache compiled images in this directory.")
