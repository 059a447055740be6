"""How much the ordinary run does of a test: examples of a property, and variants (`few`); the full run does more."""

from collections import defaultdict
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, settings

DEFAULT, THOROUGH = "project", "thorough"

# A machine may be busy: no example is wrong because it took long (pytest-timeout ends what hangs).
# Networks are large values, too.
PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile(DEFAULT, deadline=None, suppress_health_check=PATIENT, max_examples=10)
settings.register_profile(THOROUGH, settings.get_profile(DEFAULT), max_examples=100)


def examples(few: int, many: int) -> int:
    """`few`, or `many` together with the heavy tests: for tests whose examples take longer, or less, than most."""
    return many if settings.get_current_profile_name() == THOROUGH else few


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
