"""Crossbars that programs write, and how long they last."""

from __future__ import annotations

from launch.report.panels.panel import Absent, Listing, Note, Panel, Values
from launch.report.sources.known import KnownSubject
from launch.timing.tables import CROSSBARS, GROUPS
from launch.timing.values import WRITTEN
from launch.timing.wear import wear_of, wear_on


def _values(known: KnownSubject, _absent: Absent) -> Values:
    subject = known.subject
    wear = wear_of(subject.timed) if subject.timed else wear_on(subject.programs, subject.arch, None)
    return {"wear": wear and wear.to_dict()}


WEAR = Panel(
    name="wear",
    title="Wear of crossbars",
    about="of programs that write crossbars: each of these with its writes, rows, cells and years, the most worn, and"
    " the array groups with time and energy",
    needs="wear",
    make=_values,
    wide=True,
    blocks=[
        Note(
            [
                "Most worn: {wear.most_worn.name}, {wear.most_worn.writes_per_cell|number} writes per cell and sample.",
                "It lasts {wear.most_worn.lifetime_years|number} years.",
            ]
        ),
        Listing(
            name="wear-crossbars",
            caption="wear of crossbars, per sample",
            rows="wear.crossbars",
            core=("core",),
            order="writes_per_cell",
            limit=300,
            columns=CROSSBARS,
        ),
        Listing(
            name="wear-groups",
            caption="array groups that are written, per sample",
            rows="wear.groups",
            core=("core",),
            limit=300,
            in_text=False,
            columns=GROUPS,
        ),
    ],
    csv=WRITTEN,
    fields={"wear": {"": "of the crossbars that are written, as in `emu time`, or null"}},
)
