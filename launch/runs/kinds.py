"""Types of option values for runs, in addition to those of compilations."""

from __future__ import annotations

from dataclasses import dataclass

from emu.options import Kind


@dataclass(frozen=True, slots=True)
class GoldenSource(Kind):
    """An evaluator, `none`, or a file of golden values."""


@dataclass(frozen=True, slots=True)
class Limit(Kind):
    """A number, or a ratio to a baseline such as 1.1x; `ratio_only`: the latter without its letter."""

    ratio_only: bool = False
