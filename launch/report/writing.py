"""Values of the report as people read them, by unit; what is not known is a dash."""

from __future__ import annotations

from collections.abc import Callable, Mapping

UNKNOWN = "-"
SIZES: Mapping[str, tuple[tuple[float, str], ...]] = {
    "ps": ((1e12, "s"), (1e9, "ms"), (1e6, "us"), (1e3, "ns"), (1, "ps")),
    "pj": ((1e12, "J"), (1e9, "mJ"), (1e6, "uJ"), (1e3, "nJ"), (1, "pJ")),
    "seconds": ((1, "s"), (1e-3, "ms"), (1e-6, "us")),
    "bytes": ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")),
}


def written(value: float | str | None, unit: str) -> str:
    """`value` in one of the units of `WRITE`, four digits; text stays as it is."""
    if value is None:
        return UNKNOWN
    return value if isinstance(value, str) else WRITE[unit](value)


def unit_of(most: float, unit: str) -> tuple[float, str]:
    """The size and the name of the unit in which an axis up to `most` is read; ("" for numbers)."""
    units = SIZES.get(unit, ((1, ""),))
    return next((each for each in units if abs(most) >= each[0]), units[-1])


def _scaled(unit: str) -> Callable[[float], str]:
    def write(value: float) -> str:
        size, name = unit_of(value, unit)
        return f"{value / size:.4g} {name}"

    return write


WRITE: Mapping[str, Callable[[float], str]] = {
    "ps": _scaled("ps"),
    "pj": _scaled("pj"),
    "bytes": _scaled("bytes"),
    "count": lambda value: f"{value:,}",
    "share": lambda value: f"{value * 100:.4g} %",
    "seconds": _scaled("seconds"),
    "number": lambda value: f"{value:.4g}",
}
