"""Rules for operators that a growing cache reaches: one per operator, in tables of files by what they do.

A rule writes nodes that give the same elements in front of the end of each axis that grows, whatever stands behind it.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import NodeProto

from compiler.caches import appending, attention, elements, indexing, moving, products, reducing
from compiler.caches.rewriting import Rewriting
from compiler.caches.step import Rule, Step
from compiler.frontend.body import graphs_of, used_names
from compiler.frontend.definitions import STANDARD_DOMAINS

_FILES = (elements, moving, indexing, appending, products, reducing, attention)
RULES: Mapping[str, Rule] = {name: rule for file in _FILES for name, rule in file.RULES.items()}


def apply_rule(rewriting: Rewriting, node: NodeProto) -> None:
    """Write a node that a cache reaches; without a rule it must not have to do with axes that grow."""
    step = Step(rewriting, node)
    rule = RULES.get(node.op_type) if node.domain in STANDARD_DOMAINS else None
    if any(graphs_of(attribute) for attribute in node.attribute):
        step.refuse("has a graph of its own")
    if rule is not None:
        rule(step)
    elif any(rewriting.survey.grows(name) for name in (*used_names(node), *node.output)):
        step.refuse("is of an operator that has no rule for axes that grow")
    else:
        step.keep()
