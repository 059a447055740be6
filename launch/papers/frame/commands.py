"""The commands behind a measurement of a network: it is written, compiled for a chip, and timed there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from launch.runs.repeating import arguments

Options = Mapping[str, Any]  # of a command, by the names of its parameters
OUT = "out"


def compiling(model: str, out: str, chip: str, cores: int | None, options: Options) -> list[str]:
    """The words of `emu` that compile a model for a chip (a preset or a file), without values to compare with."""
    return ["compile", model, *arguments({"arch": chip, "cores": cores, "golden": "none", **options}), "-o", out]


def timing(out: str, options: Options) -> list[str]:
    """Those that time it."""
    return ["time", out, *arguments(options)]


def lines(
    network: str, form: str | None, chip: str, cores: int | None, compiled: Options, timed: Options
) -> tuple[str, ...]:
    """All three as lines of a shell, of a standard network in this quantised form."""
    model = f"{network}.onnx"
    commands = (
        ["export", network, *arguments({"quantize": form}), "-o", model],
        compiling(model, OUT, chip, cores, compiled),
        timing(OUT, timed),
    )
    return tuple(f"emu {shlex.join(words)}" for words in commands)
