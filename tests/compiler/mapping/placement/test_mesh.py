"""Cores on the mesh: every core has a place of its own, no worse than before, and no swap of two is better."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.mapping.placement.mesh import arrange, byte_hops, distances_of, places_for, points_of, weights_of
from emu.noc.traffic.topology import Mesh

WIDTHS = st.integers(1, 5)


@st.composite
def traffic(draw):
    """Some cores, and bytes between pairs of them."""
    cores = draw(st.lists(st.integers(0, 11), min_size=1, max_size=8, unique=True).map(sorted))
    pairs = st.tuples(st.sampled_from(cores), st.sampled_from(cores))
    return cores, draw(st.dictionaries(pairs, st.integers(1, 1000), max_size=12))


@given(traffic(), WIDTHS, st.integers(0, 3))
def test_what_is_found_is_the_best_within_a_swap(given_, width, seed):
    (cores, sent), mesh = given_, Mesh(width)
    places = places_for(width, cores, 12)
    assert sorted(places) == list(range(12)) and places[: len(cores)] == cores
    weights, distances = weights_of(sent, cores), distances_of(points_of(width, places))
    order = arrange(weights, distances, seed)
    assert len({*order.tolist()}) == len(cores)
    here = {core: places[place] for core, place in zip(cores, order.tolist(), strict=True)}
    cost = sum(size * mesh.hops(here[a], here[b]) for (a, b), size in sent.items())
    assert byte_hops(weights, distances, order) == cost
    assert cost <= sum(size * mesh.hops(a, b) for (a, b), size in sent.items())
    whole = [*order.tolist(), *sorted({*range(12)} - {*order.tolist()})]
    if len(cores) < 2:
        return
    for one, other in combinations(range(12), 2):
        swapped = list(whole)
        swapped[one], swapped[other] = swapped[other], swapped[one]
        assert byte_hops(weights, distances, np.array(swapped[: len(cores)])) >= cost


@given(traffic(), st.integers(0, 3))
def test_a_seed_gives_one_answer(given_, seed):
    cores, sent = given_
    weights, distances = weights_of(sent, cores), distances_of(points_of(4, range(12)))
    assert arrange(weights, distances, seed).tolist() == arrange(weights, distances, seed).tolist()


def test_a_chain_is_laid_without_a_detour():
    """Neighbours of a chain that began all over the mesh end beside each other."""
    cores = [0, 35, 5, 30, 14, 3]
    weights = weights_of(dict.fromkeys(pairwise(cores), 100), cores)
    distances = distances_of(points_of(6, places_for(6, cores, 36)))
    assert byte_hops(weights, distances, arrange(weights, distances)) == 500


def test_of_a_large_chip_the_nearest_places_are_looked_at():
    places = places_for(32, [900, 1000], 1024)
    assert places[:2] == [900, 1000] and len(places) == 256
    assert max(Mesh(32).hops(0, place) for place in places[2:]) <= 23
