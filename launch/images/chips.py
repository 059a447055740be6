"""Several chips: what stands on each, and what crosses the links between them, as plain values, lines and columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from emu.census.census import Census
from emu.wording import counted
from launch.text.columns import Column
from launch.text.units import size_text


def crossing(kind: str, unit: str = "count") -> tuple[Column, ...]:
    """The columns of what goes from one of a `kind` to another, whose names are written in `unit`."""
    return (
        Column("from", f"from {kind}", unit),
        Column("to", f"to {kind}", unit),
        Column("messages", "messages", "count"),
        Column("bytes", "bytes", "bytes"),
    )


PAIRS = crossing("chip")


def chip_values(census: Census) -> dict[str, Any] | None:
    """What the chips hold and exchange in a sample, loads and stores among it; None of one chip."""
    if census.arch.system.chips == 1:
        return None
    cut, cores, crossbars = census.between_chips, Counter[int](), Counter[int]()
    for number, core in census.cores.items():
        cores[cut.domains[number]] += 1
        crossbars[cut.domains[number]] += core.crossbars
    return {
        "chips": census.arch.system.chips,
        "messages": cut.messages,
        "bytes": cut.bytes,
        "of_each": [{"chip": chip, "cores": cores[chip], "crossbars": crossbars[chip]} for chip in sorted(cores)],
        "pairs": [
            {"from": one, "to": other, "messages": messages, "bytes": nbytes}
            for (one, other), (messages, nbytes) in sorted(cut.crossing.items())
        ],
    }


def chip_line(values: Mapping[str, Any]) -> str:
    """`chip_values` in one line: how full the chips are, what crosses, and where most does."""
    each = [chip["cores"] for chip in values["of_each"]]
    held = f"{min(each)} to {counted(max(each), 'core')}" if min(each) < max(each) else counted(each[0], "core")
    in_use = f"{len(each)} of {counted(values['chips'], 'chip')} in use"
    line = f"{in_use}, with {held}{' each' if len(each) > 1 else ''}; per sample"
    if not values["pairs"]:
        return f"{line} nothing crosses between them"
    most = max(values["pairs"], key=lambda pair: pair["bytes"])
    return (
        f"{line} {counted(values['messages'], 'message')} with {size_text(values['bytes'])} cross between them, most"
        f" from chip {most['from']} to chip {most['to']}: {size_text(most['bytes'])}"
    )
