"""Points of a sweep by number, and choices among them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.sweeps.space import MOST, WAYS, Choice, Space
from launch.sweeps.variations import parse_variations

SPACES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
KEYS = ("chip.cores", "core.crossbars", "core.events", "crossbar.rows")


@given(SPACES)
def test_a_space_is_the_product_of_its_variations(sizes: list[int]) -> None:
    texts = [f"{key}=1..{size}" for key, size in zip(KEYS, sizes, strict=False)]
    space = Space(parse_variations(texts))
    product = list(itertools.product(*(range(1, size + 1) for size in sizes)))
    assert space.size == len(product)
    assert [tuple(space.at(number).values()) for number in range(space.size)] == product


@given(st.integers(1, 10**30), st.integers(1, 200), st.sampled_from(sorted(WAYS)), st.integers(0, 9))
def test_a_choice_is_a_subset_without_repetition_and_made_again_by_its_seed(
    size: int, points: int, way: str, seed: int
) -> None:
    choice = Choice(points, way, seed if way == "random" else None)
    found = list(choice.numbers(size))
    assert len(found) == min(points, size) == len(set(found)) and found == sorted(found)
    assert found[0] >= 0 and found[-1] < size
    assert found == list(choice.numbers(size))
    if way == "grid":
        assert found[0] == 0 and (points == 1 or found[-1] == size - 1)
        steps = {late - early for early, late in itertools.pairwise(found)}
        assert not steps or max(steps) - min(steps) <= 1


def test_another_seed_chooses_others() -> None:
    assert len({tuple(Choice(10, "random", seed).numbers(10**6)) for seed in range(20)}) == 20
    assert Choice(10, "random").numbers(10**6) == Choice(10, "random", 0).numbers(10**6)


def test_every_point_is_chosen_by_some_seed() -> None:
    assert {number for seed in range(200) for number in Choice(3, "random", seed).numbers(9)} == set(range(9))


def test_what_is_chosen_is_said() -> None:
    assert Choice(100, "random").sentence(4000) == "100 of 4,000 points, chosen at random (seed 0)"
    assert Choice(100).sentence(4000) == "100 of 4,000 points, chosen evenly"
    assert Choice(100).sentence(100) == Choice().sentence(7) == ""


@pytest.mark.parametrize(
    ("choice", "size", "words"),
    [
        (Choice(), MOST + 1, "these values make 10,001 points, more than 10,000: name fewer, or choose some by points"),
        (Choice(MOST + 1), 10**40, "these values make 10,001 points"),
        (Choice(way="random"), 5, "choice='random' chooses among the points: say how many by points"),
        (Choice(seed=3), 5, "choice-seed=3 chooses among the points"),
        (Choice(3, seed=3), 5, "choice-seed means nothing without choice='random'"),
        (Choice(3, "grid", 3), 5, "choice-seed means nothing without"),
    ],
)
def test_choices_that_cannot_be(choice: Choice, size: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        choice.numbers(size)
    assert len(Choice(MOST).numbers(10**40)) == MOST
