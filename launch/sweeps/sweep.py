"""A sweep: what is varied, what it is asked of, and each of its points made out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from compiler.basis.options import SCHEDULE, CompileOptions
from emu.arch import Arch
from emu.arch.derived import derived
from emu.options import specs
from launch.runs.repeating import arguments
from launch.sweeps.data import SweepData
from launch.sweeps.keys import ARCH, CHIP, COMPILE, TIME, SweptKey
from launch.sweeps.metrics import MetricChoice
from launch.sweeps.space import ALL, Choice, Space
from launch.sweeps.variations import Changes
from launch.timing.timed_image import SAMPLES


@dataclass(frozen=True, slots=True)
class Configuration:
    """A point made out: its chip, the options of `emu compile` as words, and those of `emu time`."""

    arch: Arch
    compiling: tuple[str, ...] = ()
    samples: int = SAMPLES
    flow: str | None = None

    @property
    def scheduled(self) -> bool:
        """Whether programs are made by a schedule, which goes by the chip's figures."""
        return any(specs(CompileOptions)[name].spelled(name) in self.compiling for name in SCHEDULE)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Chips like `bases` (by how they are typed; the first one where the chip is not varied), alone or with a network.

    `subject` is a compiled directory or, if `kind` is model, a network's file; None of chips alone. `timing` and
    `compiling` are options of `emu time` and `emu compile` by parameter, which hold where they are not varied. `data`
    are what the network answers, if its answers are asked for.
    """

    subject: Path | None
    kind: Literal["chip", "image", "model"]
    bases: Mapping[str, Arch]
    space: Space
    metrics: MetricChoice
    choice: Choice = ALL
    timing: Mapping[str, Any] = field(default_factory=dict[str, Any])
    compiling: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data: SweepData | None = None

    @property
    def base(self) -> Arch:
        """The first chip that is changed."""
        return next(iter(self.bases.values()))

    @cached_property
    def keys(self) -> dict[str, SweptKey]:
        """What is varied, by name, in order."""
        return {key.name: key for variation in self.space.variations for key in variation.keys}

    @cached_property
    def points(self) -> Sequence[Changes]:
        """The values of each point that was chosen."""
        return [self.space.at(number) for number in self.choice.numbers(self.space.size)]

    @property
    def title(self) -> str:
        """What is swept, for people."""
        chips = ", ".join(arch.name for arch in self.bases.values())
        return chips if self.subject is None else f"{self.subject} on {chips}"

    def configured(self, changes: Changes) -> Configuration:
        """The point with these values; raises ArchError for a chip that cannot be."""
        of: dict[str, dict[str, Any]] = {ARCH: {}, CHIP: {}, COMPILE: {}, TIME: {}}
        for name, value in changes.items():
            key = self.keys[name]
            of[key.of][name if key.of == CHIP else key.option] = value
        base = self.bases[of[ARCH][ARCH]] if of[ARCH] else self.base
        timing = {**self.timing, **of[TIME]}
        return Configuration(
            derived(base, of[CHIP]) if of[CHIP] else base,
            tuple(arguments({**self.compiling, **of[COMPILE]})),
            timing.get("samples") or SAMPLES,
            timing.get("flow"),
        )
