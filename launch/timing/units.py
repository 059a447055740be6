"""Times and energies as people read them."""

from __future__ import annotations

_DIGITS = 5


def time_text(ps: int) -> str:
    """Picoseconds in the unit that people read: ns up to a microsecond, then us, ms, s; no digit is lost."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("us", 10**6)):
        if ps >= size:
            return f"{_exact(ps, size)} {unit}"
    return f"{_exact(ps, 1000)} ns"


def short_time(ps: int) -> str:
    """The same in five digits, for what is read and not computed with."""
    return time_text(round(ps, min(0, _DIGITS - len(str(ps)))))


def energy_text(pj: float) -> str:
    """Picojoules in the unit that people read, six digits."""
    for unit, size in (("J", 1e12), ("mJ", 1e9), ("uJ", 1e6), ("nJ", 1e3)):
        if pj >= size:
            return f"{pj / size:.6g} {unit}"
    return f"{pj:.6g} pJ"


def _exact(ps: int, size: int) -> str:
    whole, rest = divmod(ps, size)
    digits = str(size + rest)[1:].rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
