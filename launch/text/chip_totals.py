"""Names and units of what is summed and computed of a chip by itself, by the keys of `[published]`."""

from __future__ import annotations

UNITS = {"mw": "mW", "mm2": "mm2", "ns": "ns", "nj": "nJ", "tops": "TOPS"}
RATIOS = {
    "gops_per_w": ("peak", "GOPS/W"),
    "gops_per_mm2": ("peak", "GOPS/mm2"),
    "mib_per_mm2": ("storage", "MiB/mm2"),
}
NAMES = {"mvmu": "MVM unit"}  # of levels


def total_title(key: str) -> tuple[str, str]:
    """A total's name and unit: `chip_power_mw` is the chip's power in mW."""
    if key in RATIOS:
        return RATIOS[key]
    name, _, unit = key.rpartition("_")
    words = [NAMES.get(word, word) for word in name.split("_")]
    return " ".join(words) + (" area" if unit == "mm2" else ""), UNITS[unit]
