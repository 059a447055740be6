"""Copies of layers: the best there are, found by trying all; never more cores than there may be."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from compiler.schedules.duplication import CHOICES, Demand, for_latency, for_throughput, for_writing, greedily

DEMANDS = st.lists(
    st.builds(Demand, st.integers(1, 3), st.integers(1, 7), st.integers(1, 5), st.booleans()), min_size=1, max_size=4
)


def all_choices(demands, cores):
    """Every number of copies of each layer that fits."""
    for copies in product(*map(numbers, demands)):
        if used(demands, copies) <= cores:
            yield copies


def numbers(demand):
    """The numbers of copies that there may be."""
    return [n for n in range(1, demand.rows + 1) if not demand.even or demand.rows % n == 0]


def used(demands, copies):
    return sum(n * demand.cores for n, demand in zip(copies, demands, strict=True))


def times(demands, copies):
    return [demand.time(n) for n, demand in zip(copies, demands, strict=True)]


@given(DEMANDS, st.integers(1, 30))
def test_latency_is_the_least(demands, cores):
    found = for_latency(demands, cores)
    fitting = list(all_choices(demands, cores))
    assert sum(times(demands, found)) == min(
        (sum(times(demands, n)) for n in fitting), default=sum(times(demands, found))
    )
    assert found == [1] * len(demands) if not fitting else used(demands, found) <= cores


@given(DEMANDS, st.integers(1, 30))
def test_the_pace_is_the_best_with_the_fewest_copies(demands, cores):
    found = for_throughput(demands, cores)
    fitting = list(all_choices(demands, cores))
    pace = max(times(demands, found))
    assert pace == min((max(times(demands, n)) for n in fitting), default=pace)
    for n, demand in zip(found, demands, strict=True):
        assert all(demand.time(fewer) > pace for fewer in numbers(demand) if fewer < n)


@given(DEMANDS, st.integers(1, 30))
def test_greedy_stays_within_the_cores_and_is_never_better(demands, cores):
    found = greedily(demands, cores)
    assert used(demands, found) <= max(cores, used(demands, [1] * len(demands)))
    assert sum(times(demands, found)) >= sum(times(demands, for_latency(demands, cores)))


def test_copies_follow_the_strides():
    """Layers whose pixels fall to a quarter, as behind strides of 2, get a quarter of the copies."""
    demands = [Demand(1, 64, 64), Demand(1, 32, 32), Demand(1, 16, 16)]
    assert for_throughput(demands, 21) == [16, 4, 1]


def test_greedy_misses_what_several_small_layers_save_together():
    demands = [Demand(4, 2, 10), Demand(1, 2, 9), Demand(1, 2, 9)]
    assert greedily(demands, 10) == [2, 1, 1]
    assert for_latency(demands, 10) == [1, 2, 2]


def test_each_number_of_copies_saves_time():
    for rows in range(1, 40):
        ladder = Demand(1, rows, 1).useful()
        rows_of = [-(-rows // n) for n in ladder]
        assert ladder[0] == 1 and ladder[-1] == rows
        assert rows_of == sorted(set(rows_of), reverse=True)
        assert set(rows_of) == {-(-rows // n) for n in range(1, rows + 1)}


def test_even_copies_make_as_many_rows_each():
    demands = [Demand(1, 4, 25, even=True), Demand(2, 2, 55, even=True)]
    assert for_latency([demands[0], Demand(1, 4, 3, even=True)], 5) == [4, 1]
    assert for_latency(demands, 5) == [1, 2]
    assert for_latency([Demand(3, 5, 20, even=True)], 8) == [1]
    assert for_throughput(demands, 6) == [2, 2]


def test_there_may_be_no_layers():
    assert [choose([], 4) for choose in CHOICES.values()] == [[], [], []]


@given(DEMANDS, st.integers(1, 9), st.integers(0, 4))
def test_copies_that_are_written_are_worth_it(demands, cores, steps):
    for demand, copies in zip(demands, for_writing(demands, cores, steps), strict=True):
        assert copies == 1 or copies * demand.cores <= cores
        costs = {n: demand.time(n) + n * demand.cores * steps for n in numbers(demand) if n * demand.cores <= cores}
        assert demand.time(copies) + copies * demand.cores * steps == min(
            costs.values(), default=demand.time(1) + demand.cores * steps
        )
