"""The critical path of an image for people and for --json: what decides the latency, by node, kind and in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from emu.census.nodes import node_of, rows_by_node
from emu.timing.basis.units import FIRST_GROUP, TRANSFER, unit_name
from emu.timing.path.by_component import path_by_component
from emu.timing.path.logged import logged_path
from emu.timing.path.path import PathStretch, TracedSample, Work, critical_path, traced
from emu.timing.path.slack import has_slack, instruction_slack
from launch.text.answer import Table
from launch.text.columns import Column, listed
from launch.text.units import time_text
from launch.timing.timed_image import TimedImage

SHOWN = 40  # rows of the tables for people
_PS, _SHARE = Column("ps", "on the path", "ps"), Column("share", "share", "share")
KINDS = (Column("kind", "kind"), Column("ps", "time", "ps"), _SHARE)
COMPONENTS = (Column("component", "component"), *KINDS[1:])
NODES = (Column("node", "node"), _PS, _SHARE, Column("slack_ps", "slack", "ps"), Column("most", "most, of its cores"))
CHAIN = (Column("begin_ps", "from", "ps"), Column("ps", "for", "ps", of="end_ps-begin_ps"), Column("what", "what"))
MESSAGES, FRONT, GROUPS = "messages and requests", "front end", "array groups"


@dataclass(frozen=True, slots=True)
class Link:
    """A part of the path, in order: a core works for nodes, or waits for its request, that core `peer` may decide."""

    begin_ps: int
    end_ps: int
    core: int
    request: bool
    peer: int | None
    nodes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Critical:
    """The path; ps of it by node, kind of work and component; slack by node and core, None if it cannot be told."""

    chain: tuple[Link, ...]
    by_node: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_component: Mapping[str, float]
    slack: Mapping[str, Mapping[int, int]] | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "nodes": [
                {
                    "node": node,
                    "ps": self.by_node.get(node, 0),
                    "slack_ps": self.slack and min(self.slack[node].values()),
                    "slack_by_core": self.slack and {str(core): ps for core, ps in self.slack[node].items()},
                }
                for node in (self.slack or self.by_node)
            ],
            "kinds": dict(self.by_kind),
            "components": dict(self.by_component),
            "chain": [asdict(link) for link in self.chain],
        }


def critical(timed: TimedImage) -> Critical:
    """The path of the first sample; raises TimingRefused for programs of which it would take too long."""
    slack: dict[str, dict[int, int]] | None = None
    if timed.setup.port_queues:
        path = logged_path(timed.setup)
    else:
        found = traced(timed.setup)
        path, slack = critical_path(found), _slack(timed, found) if has_slack(found) else None
    by_kind: dict[str, int] = {}
    for stretch in path:
        for work, ps in stretch.parts.items():
            kind = _kind(timed, stretch.core, work)
            by_kind[kind] = by_kind.get(kind, 0) + ps
    chain = tuple(
        Link(stretch.begin, stretch.end, stretch.core, stretch.request, stretch.peer, _nodes(timed, stretch))
        for stretch in path
        if stretch.parts
    )
    by_node: dict[str, int] = {}
    for link in chain:
        for node, ps in link.nodes.items():
            by_node[node] = by_node.get(node, 0) + ps
    return Critical(chain, by_node, by_kind, path_by_component(timed.setup, path), slack)


def _nodes(timed: TimedImage, stretch: PathStretch) -> dict[str, int]:
    """ps of a stretch by node, in the order of the program."""
    program, found = timed.programs[stretch.core], dict[str, int]()
    sources = program.main.columns["source"]
    for (index, _), ps in sorted(stretch.parts.items()):
        node = node_of(program, int(sources[index]))
        found[node] = found.get(node, 0) + ps
    return found


def _kind(timed: TimedImage, core: int, work: Work) -> str:
    index, working = work
    if not working:
        return FRONT
    unit = int(timed.setup.cores[core].sections["main"].costs.unit[index])
    if unit == TRANSFER:
        return MESSAGES
    return GROUPS if unit >= FIRST_GROUP else f"{unit_name(unit)} unit"


def _slack(timed: TimedImage, found: TracedSample) -> dict[str, dict[int, int]]:
    """The least slack of each node, on each of its cores."""
    least: dict[str, dict[int, int]] = {}
    for core, values in instruction_slack(found).items():
        for node, rows in rows_by_node(timed.programs[core]):
            least.setdefault(node, {})[core] = int(values[rows].min())
    return least


def critical_tables(timed: TimedImage, found: Critical) -> list[Table]:
    """By kind, by node with slack, and the chain itself."""
    whole = timed.timing.latency or 1
    kinds = sorted(found.by_kind.items(), key=lambda item: -item[1])
    nodes = [
        {"node": node, "ps": ps, "share": ps / whole, **(_slacks(found.slack[node]) if found.slack else {})}
        for node in found.slack or found.by_node
        for ps in (found.by_node.get(node, 0),)
    ]
    chain = [{**asdict(link), "what": _what(link)} for link in found.chain]
    return [
        listed("critical path by kind of work", KINDS, ({"kind": k, "ps": ps, "share": ps / whole} for k, ps in kinds)),
        listed(
            "critical path by component",
            COMPONENTS,
            ({"component": c, "ps": ps, "share": ps / whole} for c, ps in found.by_component.items()),
        ),
        listed("critical path by node", NODES, sorted(nodes, key=lambda row: -row["ps"]), SHOWN),
        listed("critical path in order", CHAIN, chain, SHOWN),
    ]


def _slacks(by_core: Mapping[int, int]) -> dict[str, Any]:
    """The least slack of a node, and the most of a core if that is another one."""
    core = max(by_core, key=lambda each: (by_core[each], -each))
    least, most = min(by_core.values()), by_core[core]
    return {"slack_ps": least, "most": f"{time_text(most)} (core {core})" if most > least else ""}


def _what(link: Link) -> str:
    nodes = ", ".join(f"{node} {time_text(ps)}" if len(link.nodes) > 1 else node for node, ps in link.nodes.items())
    if link.peer is not None:
        return f"core {link.peer} to core {link.core}: {nodes}"
    return f"core {link.core}{', a request' if link.request else ''}: {nodes}"
