"""Damaged PIM-ISA programs, chips, crossbars and memories meet one sentence, or become an image that is sound."""

from pathlib import Path

import pytest
from hostile import Guard, attack
from hostile_imports import import_targets


@pytest.fixture(scope="module")
def guard(tmp_path_factory: pytest.TempPathFactory) -> Guard:
    return Guard(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 300), pytest.param(2, 20_000, marks=[pytest.mark.full, pytest.mark.timeout(3600)])]
)
def test_damaged_imports(tmp_path: Path, guard: Guard, seed: int, count: int) -> None:
    tally = attack("imports", import_targets(tmp_path / "imports"), seed, count, guard)
    assert not tally.failures
    assert tally.refused > count / 4 and tally.accepted > 5
