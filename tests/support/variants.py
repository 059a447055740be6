"""Tests of many variants: `@pytest.mark.few(n)` runs n of them, and all together with the heavy tests."""

from collections import defaultdict
from collections.abc import Iterable

import pytest


def mark_the_others(items: Iterable[pytest.Item]) -> None:
    """Mark as `full` all variants of a test with `few` but n, which are spread evenly over their order."""
    kinds = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if item.get_closest_marker("few") and not item.get_closest_marker("full"):
            kinds[item.nodeid.partition("[")[0]].append(item)
    for variants in kinds.values():
        marker = variants[0].get_closest_marker("few")
        assert marker is not None
        (count,) = marker.args
        chosen = {place * len(variants) // count for place in range(count)}
        for place, item in enumerate(variants):
            if place not in chosen:
                item.add_marker(pytest.mark.full)
