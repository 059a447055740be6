"""A small storm of kills: nothing hangs, nothing is left, lost or wrong; `make storm` makes a large one."""

import pytest
from storm import Outcome, allowed, storm


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(2))
def test_a_small_storm(seed: int) -> None:
    outcomes = storm(30, seed, 2)
    assert len(outcomes) == 30
    assert not [(kind, texts) for outcome in outcomes for kind, texts in outcome.problems.items() if texts]


@pytest.mark.parametrize(
    ("victim", "name", "codes"),
    [
        ("launcher", "TERM", {0, 143, -15}),
        ("launcher", "SEGV", {0, -11}),
        ("core", "STOP", {0}),
        ("core", "INT", {0, 5}),
        ("helper", "KILL", {0, 2, 5}),
    ],
)
def test_other_exit_codes_are_problems(victim: str, name: str, codes: set[int]) -> None:
    assert allowed(Outcome("launch", victim, name)) == codes
