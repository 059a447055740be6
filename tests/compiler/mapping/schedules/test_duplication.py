"""Copies of layers: all numbers that save time, the best for each goal; copies that are written are worth it."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping.schedules.duplication import CHOICES, copies_ladder, copies_of, for_writing, least_cores

LAYERS = st.tuples(st.integers(1, 3), st.integers(1, 7), st.integers(1, 5), st.booleans())


def ladder_of(layer):
    """Of cores, rows, steps of a row, and whether all copies make equally many."""
    *sizes, even = layer
    return copies_ladder(*sizes, even=even)


def copies_for(goal, ladders, cores):
    return copies_of(ladders, CHOICES[goal](ladders, cores))


@given(LAYERS)
def test_a_ladder_has_all_numbers_of_copies_that_save_time(layer):
    """Against all numbers of copies: for each, one on the ladder takes no longer and no more."""
    cores, rows, steps, even = layer
    ladder = ladder_of(layer)
    found = copies_of([ladder] * len(ladder.needs), range(len(ladder.needs)))
    assert found[0] == 1 and list(ladder.needs) == [count * cores for count in found]
    assert list(ladder.times) == [-(-rows // count) * steps for count in found]
    assert list(ladder.times) == sorted(set(ladder.times), reverse=True)
    assert not even or all(rows % count == 0 for count in found)
    for count in range(1, rows + 1):
        if not even or rows % count == 0:
            assert any(
                one <= count and time <= -(-rows // count) * steps
                for one, time in zip(found, ladder.times, strict=True)
            )


def test_copies_follow_the_strides():
    """Layers whose pixels fall to a quarter, as behind strides of 2, get a quarter of the copies."""
    ladders = [copies_ladder(1, 64, 64), copies_ladder(1, 32, 32), copies_ladder(1, 16, 16)]
    assert copies_for("throughput", ladders, 21) == [16, 4, 1]


def test_greedy_misses_what_several_small_layers_save_together():
    ladders = [copies_ladder(4, 2, 10), copies_ladder(1, 2, 9), copies_ladder(1, 2, 9)]
    assert copies_for("greedy", ladders, 10) == [2, 1, 1]
    assert copies_for("latency", ladders, 10) == [1, 2, 2]


def test_even_copies_make_as_many_rows_each():
    ladders = [copies_ladder(1, 4, 25, even=True), copies_ladder(2, 2, 55, even=True)]
    assert copies_for("latency", [ladders[0], copies_ladder(1, 4, 3, even=True)], 5) == [4, 1]
    assert copies_for("latency", ladders, 5) == [1, 2]
    assert copies_for("latency", [copies_ladder(3, 5, 20, even=True)], 8) == [1]
    assert copies_for("throughput", ladders, 6) == [2, 2]


def test_there_may_be_no_layers():
    assert [choose([], 4) for choose in CHOICES.values()] == [[], [], []]
    assert not least_cores([])


@given(st.lists(LAYERS, min_size=1, max_size=4))
def test_with_the_least_cores_some_layer_gets_a_copy(layers):
    ladders = [ladder_of(layer) for layer in layers]
    for goal, cores in least_cores(ladders).items():
        assert max(copies_for(goal, ladders, cores)) > 1
        assert max(copies_for(goal, ladders, cores - 1)) == 1


@given(st.lists(LAYERS, min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 4))
def test_copies_that_are_written_are_worth_it(layers, cores, steps):
    ladders = [ladder_of(layer) for layer in layers]
    for ladder, place in zip(ladders, for_writing(ladders, cores, steps), strict=True):
        assert place == 0 or ladder.needs[place] <= cores
        costs = [time + needs * steps for needs, time in zip(ladder.needs, ladder.times, strict=True)]
        assert costs[place] == min(
            [cost for cost, needs in zip(costs, ladder.needs, strict=True) if needs <= cores], default=costs[0]
        )
