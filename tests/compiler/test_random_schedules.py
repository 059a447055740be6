"""Random networks under random legal schedules equal onnxruntime, are proved and can be timed; others are refused."""

from collections import Counter

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from random_schedules import campaign, cases, check, schedules


def test_random_networks_under_random_schedules():
    outcomes: Counter[bool] = Counter()

    @settings(max_examples=examples(5, 24), suppress_health_check=list(HealthCheck))
    @given(cases(), schedules())
    def one(case, schedule):
        outcomes[check(case, schedule) == ""] += 1

    one()
    assert outcomes[True] > 0.5 * outcomes.total(), outcomes


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_networks_under_random_schedules():
    tally = campaign(2000, 0)
    assert not tally.failures
    assert tally.right > 0.8 * tally.count, tally.refused
