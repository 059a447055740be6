"""The values of `emu time` as tables for people; long ones show their first rows, --json has all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from launch.text.answer import Table
from launch.text.columns import Column, listed
from launch.timing.wear_tables import SHOWN, crossbar_table, group_table

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
