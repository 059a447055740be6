"""Rules for operators that a growing cache reaches: one per operator, in tables of files by what they do.

A rule writes nodes that give the same elements in front of the end of each axis that grows, whatever stands behind it.
"""

from __future__ import annotations

from collections.abc import Mapping

from compiler.frontend.caches import appending, attention, elements, indexing, moving, products, reducing
from compiler.frontend.caches.step import Rule

_FILES = (elements, moving, indexing, appending, products, reducing, attention)
RULES: Mapping[str, Rule] = {name: rule for file in _FILES for name, rule in file.RULES.items()}
