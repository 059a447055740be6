"""Combines the evidence of values and of a recompilation into one finding."""

from __future__ import annotations

from dataclasses import replace

from launch.bisect.finding import BisectResult, Change, Wrong
from launch.bisect.narrowing import Blame
from launch.bisect.network import OnnxNetwork


def with_blame(base: BisectResult, network: OnnxNetwork, node: str, wrong: Wrong, blame: Blame | None) -> BisectResult:
    """`base` with the first wrong tensor, of `node`, and its cause, if that is known."""
    if blame is None:
        return replace(base, node=node, core=wrong.core, wrong=wrong, by="values")
    named = blame.node or node
    return replace(
        base,
        node=named,
        core=blame.site.core,
        site=blame.site,
        by="values",
        computed_with=tuple(other for other in network.fused_with(named) if other != named),
        wrong=wrong,
        inputs={**base.inputs, **dict.fromkeys(blame.right, "right")},
        suspects=blame.suspects,
        message=blame.message,
    )


def with_changes(finding: BisectResult, changes: tuple[Change, ...] | None, network: OnnxNetwork) -> BisectResult:
    """The finding with the changes from a recompilation: where programs differ, one of these places is at fault."""
    if changes is None or (finding.note and not finding.error):
        return replace(finding, changes=changes)
    best = _nearest(finding, changes, network)
    if best is None:
        return replace(finding, changes=changes)
    site = best.site
    if finding.site is not None and (site.core, site.index) == (finding.site.core, finding.site.index):
        site = replace(site, counters=finding.site.counters)
    computed_with = tuple(other for other in network.fused_with(site.node) if other != site.node)
    return replace(
        finding,
        changes=changes,
        node=site.node or finding.node,
        core=site.core,
        site=site,
        by="recompilation",
        computed_with=computed_with,
        note="",
    )


def _nearest(finding: BisectResult, changes: tuple[Change, ...], network: OnnxNetwork) -> Change | None:
    """The change that explains the wrong tensor best: where the values point to, of the same core, or the first."""
    if not changes:
        return None
    at = finding.site
    others = {(site.core, site.index) for site in finding.suspects}
    rules = (
        lambda c: at is not None and (c.site.core, c.site.index) == (at.core, at.index),
        lambda c: (c.site.core, c.site.index) in others,
        lambda c: c.site.core == finding.core and c.site.node == finding.node,
        lambda c: c.site.core == finding.core,
        lambda c: c.site.node == finding.node,
    )
    for rule in rules:
        for change in changes:
            if rule(change):
                return change
    return changes[0]
