"""The values of `emu time` as tables for people; long ones show their first rows, --json has all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emu.program.group import OWN
from launch.text.answer import Table
from launch.text.columns import Column, listed

SHOWN = 15  # rows of a table whose length depends on the network
_WRITES = (
    Column("events", "writes", "count"),
    Column("rows", "rows", "count"),
    Column("cells", "cells", "count", hint="bit slices and both halves of differential pairs counted"),
)
GROUPS = (
    Column("core", "core", "core"),
    Column("group", "group", "core"),
    Column("nodes", "nodes", "names"),
    *_WRITES,
    Column("time_ps", "time", "ps"),
    Column("energy_pj", "energy", "pj"),
)
CROSSBARS = (
    Column("name", "crossbar"),
    *_WRITES,
    Column("writes_per_cell", "per cell", "number", hint="if writes are spread evenly over its cells"),
    Column("lifetime_years", "years", "number", hint="endurance × cells / writes of cells per second"),
)


def group_table(wear: Mapping[str, Any] | None) -> Table:
    """The array groups that are written, those with the most cells first; `wear` is `Wear.to_dict()`."""
    groups = sorted(wear["groups"], key=lambda group: -group["cells"]) if wear else []
    held = Column("crossbars", "crossbars")
    rows = [{**group, "crossbars": _crossbars(group["bank"], group["crossbars"])} for group in groups]
    return listed("groups that are written, per sample", (*GROUPS[:2], held, *GROUPS[2:]), rows, SHOWN)


def crossbar_table(wear: Mapping[str, Any] | None) -> Table:
    """The crossbars that are written, the most worn first."""
    crossbars = sorted(wear["crossbars"], key=lambda crossbar: -crossbar["writes_per_cell"]) if wear else []
    return listed("wear of crossbars, per sample", CROSSBARS, crossbars, SHOWN)


def _crossbars(bank: int, count: int) -> str:
    """Which crossbars a group has."""
    if bank == OWN:
        return f"{count} of its own"
    return f"{bank} of the bank" if count == 1 else f"{bank}-{bank + count - 1} of the bank"


CAUSES = {
    "window": "as many operations are in flight as there may be",
    "unit": "the unit still has its last operation",
    "operand": "an operation in flight has the bytes or the register",
    "port": "the ports of local memory serve others",
    "sender": "the message has not been sent",
    "receiver": "the message cannot be taken, or there is no credit",
    "event": "the event has not come",
    "network": "messages under way",
    "memory": "requests in the global memory",
}
_PEERS = {"sender": "a message of", "receiver": "being received by"}
_TIME, _SHARE, _NODES = Column("ps", "time", "ps"), Column("share", "share", "share"), Column("nodes", "nodes", "names")
COMPONENTS = (
    Column("component", "component"),
    Column("dynamic_pj", "dynamic", "pj"),
    Column("static_pj", "static", "pj"),
    _SHARE,
    Column("mw", "mW", "number"),
)
NODES = (
    Column("node", "node"),
    Column("cores", "cores", "cores"),
    Column("compute_ps", "work", "ps"),
    Column("transfer_ps", "transfers", "ps"),
    Column("dynamic_pj", "dynamic energy", "pj"),
)
UNITS = (Column("name", "unit"), Column("busy_ps", "busy", "ps"), _SHARE, _NODES)
BLOCKED = (Column("cause", "cause"), Column("meaning", ""), _TIME, _SHARE)
WAITS = (Column("who", "who"), Column("whom", "for"), _TIME, _SHARE)


def report_tables(values: Mapping[str, Any]) -> list[Table]:
    """Components, nodes, units, what is written and what cores wait for, of the `values` of a report."""
    each_ps = values["run_ps"] / values["samples"]
    nodes = sorted(values["nodes"], key=lambda node: -node["compute_ps"])
    units = [{**unit, "name": f"core {unit['core']} {unit['unit']}"} for unit in values["units"]]
    waits = [
        {
            "who": f"core {wait['core']}",
            "whom": f"{_PEERS[wait['cause']]} core {wait['peer']}",
            "ps": wait["ps"],
            "share": _part(wait["ps"], each_ps),
        }
        for wait in values["waits"]
    ]
    blocked = [
        {"cause": cause, "meaning": CAUSES[cause], "ps": ps, "share": _part(ps, each_ps * len(values["cores"]))}
        for cause, ps in sorted(values["blocked_ps"].items(), key=lambda item: -item[1])
    ]
    found = [
        listed("energy of a sample in the steady state", COMPONENTS, _components(values)),
        listed("nodes by work, per sample, all cores together", NODES, nodes, SHOWN),
        listed("busy units, mean of all samples", UNITS, units, SHOWN),
        group_table(values["wear"]),
        crossbar_table(values["wear"]),
        listed("waits of all cores, mean of all samples", BLOCKED, blocked),
        listed("waits for peers, mean of all samples", WAITS, waits, SHOWN),
    ]
    return [table for table in found if table.rows]


def _components(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those that take energy, the most first, with their share of all and their power."""
    period = values["period_ps"]
    both = {each["component"]: (each["dynamic_pj"] or 0.0) + each["static_pj"] for each in values["components"]}
    rows = [
        {
            **each,
            "share": _part(both[each["component"]], sum(both.values())),
            "mw": both[each["component"]] / period * 1000 if period else None,
        }
        for each in values["components"]
        if both[each["component"]]
    ]
    return sorted(rows, key=lambda row: (-both[row["component"]], row["component"]))


def _part(part: float, whole: float) -> float | None:
    return part / whole if whole else None
