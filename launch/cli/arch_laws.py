"""Laws for `emu arch --laws`: all that there are, and those of a chip; as tables, and as plain values for --json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from launch.text.answer import Answer, Part, Table

if TYPE_CHECKING:
    from emu.arch import Arch
    from emu.arch.laws.law import Law, Measure

LAWS = ("law", "of", "figures", "proportional to", "follows")
CHIP = ("figures of", "laws", "follow")


def all_laws() -> Answer:
    """All laws: what they are of, what follows what, from where to where, and who says so."""
    from emu.arch.laws.law import ALL
    from emu.arch.laws.table import LAWS as KNOWN

    rows = list[tuple[str, ...]]()
    for law in KNOWN.values():
        of = "all components" if law.components == ALL else ", ".join(law.components)
        for measure, figures in _grouped(law).items():
            first = (law.name, of) if not rows or law.name not in {row[0] for row in rows} else ("", "")
            rows.append((*first, ", ".join(figures), measure.formula, ", ".join(measure.keys)))
    values = {"laws": [_values(law) for law in KNOWN.values()]}
    sources = (f"{law.name}: {law.source}{_ranges(law)}" for law in KNOWN.values())
    return Answer(values, [Table("", LAWS, rows, "lllll"), *sources])


def _grouped(law: Law) -> Mapping[Measure, list[str]]:
    """The figures of a law by what they are proportional to."""
    found = dict["Measure", list[str]]()
    for name, measure in law.figures.items():
        found.setdefault(measure, []).append(f"*{name}" if name.startswith("_") else name)
    return found


def _values(law: Law) -> dict[str, Any]:
    from emu.arch.followed import scalable

    return {
        "name": law.name,
        "tables": [table for table in scalable() if law.holds(table)],
        "figures": {
            name: {"formula": measure.formula, "keys": list(measure.keys)} for name, measure in law.figures.items()
        },
        "ranges": {key: list(bounds) for key, bounds in law.ranges.items()},
        "source": law.source,
    }


def _ranges(law: Law) -> str:
    """From where to where each key may go, as the rest of a line."""
    from emu.arch.remarks import range_text

    return "".join(f"; {key} {range_text(*bounds).removeprefix('of ')}" for key, bounds in law.ranges.items())


def laws_of(arch: Arch) -> dict[str, Any]:
    """Plain values: of each table that names laws these, and the keys that its figures follow.

    `unfollowed` are sentences on keys that the chip has.
    """
    from emu.arch.followed import followed, laws_in, scaled_tables
    from emu.arch.laws.table import FOLLOWED
    from emu.arch.remarks import unfollowed
    from emu.arch.schema import figure

    keys: dict[str, list[str]] = {table: [] for table in scaled_tables(arch)}
    for each in followed(arch):
        keys[each.table] += [key for _, measure in each.laws for key in measure.keys]
    own = [key for key in FOLLOWED if figure(arch, key) is not None]
    tables = [
        {"table": table, "laws": [law.name for law in laws_in(arch, table)], "follows": list(dict.fromkeys(found))}
        for table, found in keys.items()
    ]
    return {"tables": tables, "unfollowed": list(unfollowed(arch, own))}


def law_parts(arch: Arch, laws: dict[str, Any]) -> Iterator[Part]:
    """The tables of a chip that follow laws, and the keys of its geometry that nothing follows."""
    if laws["tables"]:
        yield f"{arch.name}: figures that follow it"
        rows = [(each["table"], ", ".join(each["laws"]), ", ".join(each["follows"])) for each in laws["tables"]]
        yield Table("", CHIP, rows, "lll")
    else:
        yield f"{arch.name}: no component names a law: its figures stay as they are, whatever else changes"
    yield from laws["unfollowed"]
