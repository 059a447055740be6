"""Numbers for people: four digits, the unit that fits, lists of cores; an unknown value is a dash.

JSON and CSV keep all digits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

UNKNOWN = "-"
SIZES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "ps": ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps")),
    "pj": ((1e12, "J"), (1e9, "mJ"), (1e6, "uJ"), (1e3, "nJ"), (1, "pJ")),
    "seconds": ((1, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bytes": ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")),
    "mw": ((1e3, "W"), (1, "mW"), (1e-3, "uW")),
    "many": ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")),
}
_PLAIN = 1e9  # below that no power of ten is written


def number_text(value: float) -> str:
    """Four digits, of a large number with zeros behind them."""
    short = f"{value:.4g}"
    return f"{float(short):.0f}" if 1000 <= abs(value) < _PLAIN else short


def unit_of(most: float, unit: str) -> tuple[float, str]:
    """The size and the name of the unit in which an axis up to `most` is read; ("" for numbers)."""
    units = SIZES.get(unit, ((1, ""),))
    return next((each for each in units if abs(most) >= each[0]), units[-1])


def _scaled(unit: str) -> Callable[[float], str]:
    def write(value: float) -> str:
        size, name = unit_of(value, unit)
        return f"{number_text(value / size)} {name}".rstrip()

    return write


time_text = _scaled("ps")  # of picoseconds
energy_text = _scaled("pj")  # of picojoules
power_text = _scaled("mw")  # of milliwatts
size_text = _scaled("bytes")
many_text = _scaled("many")  # of a count: 1.8 G

WRITE: Mapping[str, Callable[[float], str]] = {
    "ps": time_text,
    "pj": energy_text,
    "mw": power_text,
    "bytes": size_text,
    "many": many_text,
    "count": lambda value: f"{value:,}",
    "share": lambda value: f"{value * 100:.4g} %",
    "seconds": _scaled("seconds"),
    "number": number_text,
}


def written(value: float | str | None, unit: str) -> str:
    """`value` in one of the units of `WRITE`; text stays as it is."""
    if value is None:
        return UNKNOWN
    return value if isinstance(value, str) else WRITE[unit](value)


def ranges(cores: Iterable[int]) -> str:
    """Core numbers, neighbours joined: 0-3, 7."""
    parts: list[list[int]] = []
    for core in sorted(set(cores)):
        if parts and core == parts[-1][-1] + 1:
            parts[-1][1:] = [core]
        else:
            parts.append([core])
    return ", ".join("-".join(map(str, part)) for part in parts)
