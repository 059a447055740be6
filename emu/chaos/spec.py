"""Parses and checks specifications of faults by users, such as `delay:0.1,2` and `kill:3@17`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from emu.chaos.kinds import KINDS, ChaosKind, Unfit
from emu.errors import InputError, option

ALL, RANDOM = "*", "random"
_TARGET = re.compile(r"(\*|random|[0-9]{1,9})(?:@([0-9]{1,18})(?:-([0-9]{1,18}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ChaosTarget:
    """A core (its number, `*` or `random`), and the first and last moment that may be drawn; None: any."""

    core: str
    moments: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ChaosSpec:
    """One specification; `target` is None for kinds that hit all cores. `text` is what the user wrote."""

    kind: ChaosKind
    target: ChaosTarget | None
    numbers: tuple[float, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Chaos:
    """All specifications of a run as they were written, and the seed of whatever they leave open.

    Raises InputError if one of them cannot be understood.
    """

    specs: tuple[str, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        self.parsed()

    def parsed(self) -> list[ChaosSpec]:
        """The specifications, in order."""
        return [parse(text) for text in self.specs]


def parse(text: str) -> ChaosSpec:
    """The specification `text`; raises InputError with the form that it should have."""
    name, colon, rest = text.partition(":")
    kind = KINDS.get(name)
    if kind is None:
        raise InputError(f"{option('chaos')} {text!r} is of no known kind: use one of {', '.join(KINDS)}")
    fields = rest.split(",") if colon else []
    try:
        target = _target(kind, fields) if kind.aimed else None
        return ChaosSpec(kind, target, _numbers(kind, fields[kind.aimed :]), text)
    except Unfit as unfit:
        raise InputError(f"{option('chaos')} {text!r}: {unfit}: write it as {kind.form}") from None


def _target(kind: ChaosKind, fields: Sequence[str]) -> ChaosTarget:
    target = _TARGET.fullmatch(fields[0] if fields else RANDOM)
    if target is None:
        raise Unfit(f"{fields[0]!r} is no core: give its number, * (each) or random (one), and @N or @A-B if need be")
    core, first, last = target.groups()
    if first is None:
        return ChaosTarget(core)
    if kind.counted is None:
        raise Unfit("it lasts, so that no @N belongs to it")
    moments = (int(first), int(last or first))
    if moments[0] > moments[1]:
        raise Unfit(f"@{first}-{last} ends before it begins")
    return ChaosTarget(core, moments)


def _numbers(kind: ChaosKind, fields: Sequence[str]) -> tuple[float, ...]:
    if len(fields) > len(kind.parameters):
        raise Unfit(f"{fields[len(kind.parameters)]!r} is too much")
    texts = [*fields, *(parameter.default for parameter in kind.parameters[len(fields) :])]
    missing = [parameter.name for parameter, text in zip(kind.parameters, texts, strict=True) if not text]
    if missing:
        raise Unfit(f"{missing[0]} is missing")
    return tuple(parameter.convert(text) for parameter, text in zip(kind.parameters, texts, strict=True))
