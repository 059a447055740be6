"""Collections are rare only as long as asked for, cycles are still found, and who switched them off is obeyed."""

import gc
import weakref

import pytest

from launch.system import memory
from launch.system.memory import rare_collections


class Node:
    """One that refers to itself."""

    def __init__(self):
        self.itself = self


@pytest.fixture(autouse=True)
def _as_before():
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_higher_inside_only():
    gc.set_threshold(700, 10, 10)
    with rare_collections():
        assert gc.get_threshold() == (memory.NEW_OBJECTS, 10, 10)
        with rare_collections():
            assert gc.get_threshold() == (memory.NEW_OBJECTS, 10, 10)
        assert gc.get_threshold() == (memory.NEW_OBJECTS, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


def test_it_ends_with_an_error_too():
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ZeroDivisionError), rare_collections():
        1 / 0  # noqa: B018
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("threshold", [0, 10**9])
def test_who_wants_even_fewer_gets_them(threshold):
    gc.set_threshold(threshold)
    with rare_collections():
        assert gc.get_threshold()[0] == threshold


def test_cycles_are_still_found(monkeypatch):
    monkeypatch.setattr(memory, "NEW_OBJECTS", 1000)
    gc.set_threshold(700, 10, 10)
    with rare_collections():
        lost = weakref.ref(Node())
        kept = [[] for _ in range(5000)]
    assert lost() is None and len(kept) == 5000
