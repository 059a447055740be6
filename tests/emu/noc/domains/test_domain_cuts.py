"""Where a graph of cores is cut: within the room that there is, and never worse than blocks of neighbours."""

import time
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from emu.noc.domains.cut import blocks, cheapest, cut_of
from emu.noc.domains.graph import Graph, Price, graph_of
from emu.noc.domains.refine import cost_of, fits, refined

PRICE = Price(10.0, 0.5)
ONES = [[1]] * 64


def apart(count):
    return np.ones((count, count)) - np.eye(count)


def cost(graph: Graph, domains, distances) -> float:
    return cost_of(graph, np.array([domains[node] for node in graph.nodes]), distances)


def by_hand(exchanged, domains, distances) -> float:
    """What crosses, added up from the definition."""
    return sum(
        PRICE.of(*what) * distances[domains[one], domains[other]]
        for (one, other), what in exchanged.items()
        if one in domains and other in domains and one != other
    )


@st.composite
def boards(draw, most=12):
    """What cores exchange, what they need, and the room of domains in which blocks of them have room."""
    count = draw(st.integers(1, most))
    cores = draw(st.lists(st.integers(-1, 40), min_size=count, max_size=count, unique=True))
    pair = st.tuples(st.sampled_from(cores), st.sampled_from([*cores, 99]))
    amounts = st.tuples(st.integers(0, 5), st.integers(0, 1000))
    exchanged = draw(st.dictionaries(pair, amounts, max_size=3 * count))
    resources = draw(st.integers(1, 2))
    needs = draw(
        st.lists(st.lists(st.integers(0, 3), min_size=resources, max_size=resources), min_size=count, max_size=count)
    )
    domains = draw(st.integers(1, 4))
    where = draw(st.lists(st.integers(0, domains - 1), min_size=count, max_size=count).map(sorted))
    spare = draw(st.lists(st.integers(0, 4), min_size=domains, max_size=domains))
    room = np.repeat(np.array(spare)[:, None], resources, axis=1)
    np.add.at(room, where, needs)
    points = draw(st.lists(st.integers(0, 3), min_size=domains, max_size=domains))
    distances = np.abs(np.subtract.outer(points, points)).astype(float) + apart(domains)
    fixed = draw(st.sets(st.integers(0, count - 1), max_size=2))
    return exchanged, cores, needs, room.tolist(), distances, {cores[place]: where[place] for place in sorted(fixed)}


@given(boards())
def test_a_cut_fits_and_is_never_worse_than_blocks(board):
    exchanged, cores, needs, room, distances, fixed = board
    graph = graph_of(exchanged, cores, needs, PRICE)
    limits = np.array(room)
    index = {cores.index(core): domain for core, domain in fixed.items()}
    try:
        first = blocks(graph, limits, index)
    except InputError:  # blocks of another order may fit where these do not
        with pytest.raises(InputError, match="finds no room"):
            cheapest(graph, room, distances, fixed)
        return
    found = cheapest(graph, room, distances, fixed)
    assert fits(graph, np.array([found[core] for core in cores]), limits)
    assert found.items() >= fixed.items()
    assert cost(graph, found, distances) <= cost_of(graph, first, distances) * (1 + 1e-9)
    assert cost(graph, found, distances) == pytest.approx(by_hand(exchanged, found, distances))
    assert found == cheapest(graph, room, distances, fixed)


@given(boards(most=6))
def test_what_crosses_is_counted_from_each_side(board):
    exchanged, cores, _, _, _, _ = board
    domains = {core: place % 2 for place, core in enumerate(cores)}
    cut = cut_of(exchanged, domains)
    pairs = [(one, other) for one, other in exchanged if one in domains and other in domains]
    crossing = [pair for pair in pairs if domains[pair[0]] != domains[pair[1]]]
    assert cut.messages == sum(exchanged[pair][0] for pair in crossing)
    assert cut.bytes == sum(exchanged[pair][1] for pair in crossing)
    assert all(one != other for one, other in cut.crossing)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_groups_that_talk_among_themselves_stand_together(count):
    draw = np.random.default_rng(count)
    group = draw.permutation(np.repeat(np.arange(count), 8))
    exchanged = {
        (one, other): (1, 1000 if group[one] == group[other] else 1)
        for one, other in product(range(len(group)), repeat=2)
        if one < other
    }
    graph = graph_of(exchanged, range(len(group)), ONES[: len(group)], PRICE)
    found = cheapest(graph, [[8]] * count)
    assert len({(int(group[core]), domain) for core, domain in found.items()}) == count


def test_full_domains_are_no_obstacle():
    """Two swaps are needed, and no node can move alone."""
    exchanged = {(0, 3): (1, 100), (1, 2): (1, 100)}
    graph = graph_of(exchanged, range(4), ONES[:4], PRICE)
    found = refined(graph, np.array([0, 0, 1, 1]), np.array([[2], [2]]), apart(2), np.zeros(4, bool))
    assert found[0] == found[3] != found[1] == found[2]


def test_near_domains_are_chosen_for_what_cannot_stand_together():
    """On a ring of three in a row, what talks most is one step apart, not two."""
    exchanged = {(0, 1): (1, 1000), (1, 2): (1, 1000), (0, 2): (1, 1)}
    distances = np.abs(np.subtract.outer(range(3), range(3))).astype(float)
    found = cheapest(graph_of(exchanged, (0, 2, 1), ONES[:3], PRICE), [[1]] * 3, distances)
    assert found[1] == 1


def test_of_what_does_not_fit_the_first_core_without_room_is_named():
    with pytest.raises(InputError, match="core 12 finds no room: 3 cores do not fit 2 domains"):
        cheapest(graph_of({}, (10, 11, 12), ONES[:3], PRICE), [[1]] * 2)


@pytest.mark.full
def test_a_cut_of_ten_thousand_nodes_takes_seconds():
    nodes, domains = 10_000, 16
    draw = np.random.default_rng(0)
    places, steps = draw.permutation(nodes), draw.integers(1, 20, 4 * nodes)
    ends = zip(range(4 * nodes), steps.tolist(), strict=True)
    pairs = [(int(places[k % nodes]), int(places[min(k % nodes + step, nodes - 1)])) for k, step in ends]
    exchanged = {pair: (1, 1 + size) for size, pair in enumerate(pairs) if pair[0] != pair[1]}
    graph = graph_of(exchanged, range(nodes), [[1]] * nodes, PRICE)
    begin = time.process_time()
    found = cheapest(graph, [[nodes // domains]] * domains)
    assert time.process_time() - begin < 60
    in_order = blocks(graph, np.full((domains, 1), nodes // domains), {})
    assert cost(graph, found, apart(domains)) < 0.1 * cost_of(graph, in_order, apart(domains))
