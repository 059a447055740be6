"""Ways to cut a matrix: every crossbar once, within the bounds, whole channels where it says so; which are taken."""

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping import tuned
from compiler.mapping.tiling.cuts import cheapest, sent, ways
from compiler.mapping.tiling.matrix import FilterMatrix
from compiler.mapping.work import Work

matrices = st.builds(
    FilterMatrix,
    st.just("m"),
    st.integers(1, 40),
    st.integers(1, 40),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.integers(1, 100),
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from(["dense", "kernel"]),
)


@given(matrices, st.integers(1, 5000), st.integers(1, 60))
def test_parts_hold_every_crossbar_once_within_the_bounds(matrix, bound, capacity):
    found = list(ways(matrix, Work(capacity, bound)))
    assert found
    for cut in found:
        rows, cols = cut.matrix.grid
        held = Counter((row, col) for a in cut.rows for b in cut.cols for row in range(*a) for col in range(*b))
        assert held == {(row, col): 1 for row in range(rows) for col in range(cols)}
        assert cut.crossbars <= max(1, min(capacity, bound // matrix.pixels))
        if cut.matrix.channel_cuts:
            tiles = [{cut.matrix.row_tiles[row].tile for row in range(*span)} for span in cut.rows]
            assert sum(map(len, tiles)) == len(set().union(*tiles))


def test_parts_that_share_no_channel_are_sent_less():
    matrix = FilterMatrix("m", 64, 64, (3, 3), 3136, 128, 128, "dense")
    whole, by_channels = ways(matrix, Work(64, 4 * 3136))
    assert (whole.parts, by_channels.parts) == (2, 2)
    assert by_channels.matrix.channel_cuts == (32,)
    size = 4 * 64 * 3136
    assert sent(whole) == (3 * size, 3)  # both parts need all channels; the partial sums of one go to the other
    assert sent(by_channels) == (2 * size, 3)


def test_a_core_is_used_only_where_it_helps_and_while_there_are_cores():
    gain = [(10.0 * tuned.CORE_NS, 1), (4.0 * tuned.CORE_NS, 2), (3.5 * tuned.CORE_NS, 3)]
    assert cheapest([gain], 9) == [1]  # a third core saves less than it costs
    assert cheapest([gain, gain], 3) == [1, 0]  # there is one for one of them
    assert cheapest([gain, gain], 4) == [1, 1]
    assert cheapest([gain, gain], 1) is None
    assert cheapest([], 1) == []


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 9)), min_size=1, max_size=4), min_size=1, max_size=5
    ),
    st.integers(1, 30),
)
def test_nothing_costs_less_on_as_many_cores(choices, cores):
    taken = cheapest(choices, cores)
    every = (
        (sum(time + tuned.CORE_NS * count for time, count in ways), sum(count for _, count in ways))
        for ways in product(*choices)
    )
    least = min((cost for cost, count in every if count <= cores), default=None)
    assert (taken is None) == (least is None)
    if taken is not None:
        ways = [found[way] for found, way in zip(choices, taken, strict=True)]
        assert sum(count for _, count in ways) <= cores
        assert sum(time + tuned.CORE_NS * count for time, count in ways) == least
