"""A sweep: the subject that is timed, and the chips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.basis.options import SCHEDULE, CompileOptions
from emu.arch import Arch
from emu.options import specs
from launch.sweeps.variations import Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A compiled directory or, if `is_model`, an ONNX file, on chips like `base`.

    `timing` and `compiling` are options of `emu time` and `emu compile`.
    """

    subject: Path
    is_model: bool
    base: Arch
    combinations: Sequence[Changes]
    timing: tuple[str, ...] = ()
    compiling: tuple[str, ...] = ()

    @property
    def scheduled(self) -> bool:
        """Whether programs are made by a schedule, which goes by the chip's figures."""
        return any(specs(CompileOptions)[name].spelled(name) in self.compiling for name in SCHEDULE)
