"""What an assembly file describes: a chip, its global tensors, and one program with weights per core."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from emu.arch import Arch
from emu.image.manifest import ModelInfo, ReadOnlySpec, StateSpec, TensorOrigin, TensorSpec
from emu.program.program import Program

Weights = str | np.ndarray  # the name of a file beside the text, or the values [rows, cols] themselves


@dataclass(frozen=True, eq=False)
class CoreText:
    """One core; `lines` gives the line of each instruction of "init" and "main", where it was parsed."""

    program: Program
    weights: tuple[Weights, ...] = ()  # one per group with crossbars of its own
    lines: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ProgramSet:
    """Everything that an image holds, but for the content of the files that it names."""

    arch: Arch
    global_size: int
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    cores: tuple[CoreText, ...]
    model: ModelInfo = field(default_factory=ModelInfo)
    options: dict[str, str] = field(default_factory=dict)
    default_input: str = ""
    golden: str = ""
    golden_source: str = ""
    tensors: tuple[TensorOrigin, ...] = ()
    warnings: tuple[str, ...] = ()
    read_only: tuple[ReadOnlySpec, ...] = ()
    states: tuple[StateSpec, ...] = ()
