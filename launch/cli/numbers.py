"""Numbers as values of options, and what is wrong with a text that is none, in plain words."""

from __future__ import annotations

import math
import re
from typing import Any

import click


class WholeNumber(click.IntRange):
    """A whole number of at least `min`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Digits only; any other text is a usage error in plain words."""
        text = str(value).strip()
        if not re.fullmatch(r"[+-]?[0-9]{1,4000}", text):
            self.fail(f"{value!r} is no whole number from {self.min} on", param, ctx)
        if int(text) < (self.min or 0):
            self.fail(f"{text} is too small: give {self.min} or more", param, ctx)
        return int(text)


class Finite(click.FloatRange):
    """A number in a range that is neither NaN nor infinite."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check what comparisons with NaN let through, too."""
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is no number", param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        low = self.min or 0
        if number < low or (self.min_open and number == low):
            allowed = f"more than {low}" if self.min_open else f"{low} or more"
            self.fail(f"{value} is too small: give {allowed}", param, ctx)
        if self.max is not None and number > self.max:
            self.fail(f"{value} is too large: give {self.max} or less", param, ctx)
        return number


class LimitType(click.ParamType):
    """A number, or a ratio to --baseline, kept as text."""

    def __init__(self, name: str, ratio_only: bool = False) -> None:
        self.name, self.ratio_only = name, ratio_only

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """A number or a ratio."""
        return self.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the form; the run parses it again."""
        from emu.errors import InputError
        from launch.runs.budget import parse_bound

        assert param is not None and param.name is not None
        try:
            parse_bound(param.name, value)
        except InputError as error:
            self.fail(str(error), param, ctx)
        return str(value)
