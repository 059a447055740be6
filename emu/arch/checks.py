"""What values a key of an architecture file may have: checks that say what they expected."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, Protocol

from emu.errors import shown
from emu.isa.table import BY_NAME
from emu.wording import nearest

LARGEST = 1e9  # of any figure in its unit: a second in ns, a millijoule in pJ, a megawatt in mW
_UNITS = {"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}
FUNCTIONS = frozenset(row.name for row in BY_NAME.values() if row.digital)


def kinds_in(package: str) -> tuple[str, ...]:
    """The kinds of something that a package has, one module each, sorted; it is not imported."""
    found = find_spec(package)
    assert found is not None
    return tuple(sorted(module.name for module in iter_modules(found.submodule_search_locations)))


class ValueCheck(Protocol):
    """What a value may be."""

    def read(self, value: object) -> Any:
        """The checked value; raises ValueError with what was expected."""
        ...


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """An integer from `low` to `high`; `unit` allows the form "64 MiB"."""

    low: int
    high: int
    unit: bool = False

    def read(self, value: object) -> int:
        """The checked value; raises ValueError with what was expected."""
        if self.unit and isinstance(value, str):
            value = _bytes(value)
        if not isinstance(value, int) or isinstance(value, bool):
            form = 'a number of bytes such as 65536 or "64 KiB"' if self.unit else "an integer"
            raise ValueError(f"must be {form}, not {shown(value)}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be from {self.low} to {self.high}, not {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class Real:
    """A finite number from `low`, in the unit of its key, to `LARGEST`."""

    low: float = 0.0

    @property
    def range(self) -> str:
        """From where to where."""
        return f"from {self.low:g} to {LARGEST:g}".replace("e+0", "e").replace("e-0", "e-")

    def read(self, value: object) -> float:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ValueError(f"must be a number, not {shown(value)}")
        if not self.low <= value <= LARGEST:  # NaN is in no range
            unknown = isinstance(value, float) and not math.isfinite(value)
            hint = " (leave the key out if the figure is not known)" if unknown else ""
            raise ValueError(f"must be {self.range}, not {shown(value)}{hint}")
        return float(value)


@dataclass(frozen=True, slots=True)
class FlagCheck:
    """true or false."""

    def read(self, value: object) -> bool:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class TextCheck:
    """A string; `choices` restricts it."""

    choices: tuple[str, ...] = ()

    def read(self, value: object) -> str:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, str):
            raise ValueError(f"must be a string, not {shown(value)}")
        if self.choices and value not in self.choices:
            raise ValueError(
                f"must be one of {', '.join(self.choices)}, not {shown(value)}{nearest(value, self.choices)}"
            )
        return value


@dataclass(frozen=True, slots=True)
class NamesCheck:
    """One of the names that there are, or a list of them, none twice."""

    choices: tuple[str, ...]

    def read(self, value: object) -> tuple[str, ...]:
        """The names; raises ValueError with what was expected."""
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"must be a name or a list of names, not {shown(value)}")
        for name in names:
            if name not in self.choices:
                raise ValueError(
                    f"names {shown(name)}, which is none of {', '.join(self.choices)}{nearest(name, self.choices)}"
                )
        if len({*names}) < len(names):
            raise ValueError(f"must name each once, not {shown(value)}")
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Square:
    """A square table of numbers of at least 0, as rows of equal length."""

    largest: int = 1 << 10  # rows

    def read(self, value: object) -> tuple[tuple[float, ...], ...]:
        """The checked rows; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not 0 < len(value) <= self.largest:
            raise ValueError(f"must be a list of 1 to {self.largest} rows of numbers, not {shown(value)}")
        return tuple(self._row(place, row, len(value)) for place, row in enumerate(value))

    def _row(self, place: int, row: object, length: int) -> tuple[float, ...]:
        if not isinstance(row, (list, tuple)) or len(row) != length:
            raise ValueError(f"must be square: row {place} is no list of {length} numbers, as many as there are rows")
        try:
            return tuple(Real().read(value) for value in row)
        except ValueError as error:
            raise ValueError(f"row {place}: a number {error}") from None


class Limits:
    """Pairs of numbers, the second one above the first, as a list of lists."""

    def read(self, value: object) -> tuple[tuple[float, float], ...]:
        """The checked pairs; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not 0 < len(value) <= 64:
            raise ValueError(f"must be a list of 1 to 64 pairs [lowest, highest], not {shown(value)}")
        return tuple(_pair(place, pair) for place, pair in enumerate(value))


def _pair(place: int, pair: object) -> tuple[float, float]:
    numbers = pair if isinstance(pair, (list, tuple)) else ()
    if len(numbers) != 2 or not all(isinstance(each, (int, float)) and math.isfinite(each) for each in numbers):
        raise ValueError(f"pair {place} must be two numbers [lowest, highest], not {shown(pair)}")
    low, high = (float(each) for each in numbers)
    if low >= high:
        raise ValueError(f"pair {place}: the lowest, {low:g}, must be below the highest, {high:g}")
    return low, high


class Functions:
    """A list of instruction names of the digital unit, or ["*"] for all."""

    def read(self, value: object) -> tuple[str, ...]:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
            raise ValueError(f'must be a list of instruction names or ["*"], not {shown(value)}')
        for name in value:
            if name != "*" and name not in FUNCTIONS:
                raise ValueError(f"names {shown(name)}, no instruction of the digital unit{nearest(name, FUNCTIONS)}")
        return tuple(value)


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,15}) ?(B|KiB|MiB|GiB|TiB)", text.strip())
    if match is None:
        raise ValueError(f'must be a number of bytes such as 65536 or "64 KiB", not {shown(text)}')
    return int(match[1]) << _UNITS[match[2]]
