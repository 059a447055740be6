"""Distances, routes and gaps between flits."""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Network
from emu.errors import ArchError
from emu.noc.traffic.topology import Mesh
from emu.timing.basis.units import MEMORY
from emu.timing.network.network import MEDIUM, network_of
from emu.timing.network.network import NetworkTimes as Times


def test_distances_of_a_mesh():
    network = network_of(
        Arch(cores=16, network=Network(hop_ns=1.5, base_ns=4.0, flit_ns=0.25, flit_bytes=8)), range(16)
    )
    assert network.distance(0, 15) == 4000 + 6 * 1500 and network.distance(5, 6) == 5500
    assert network.distance(0, MEMORY) == 4000 + 1500 and network.distance(MEMORY, 5) == 4000 + 3 * 1500
    assert network.flit_bytes == 8 and network.spacing(0, 1) == 250 and network.lag(0, 1, 1000) == 750
    assert network.lag(0, 1, 0) == 0


def test_what_is_not_known_takes_nothing():
    network = network_of(Arch(cores=4), range(4))
    assert network.distance(0, 3) == 0 and network.flit == 0 and network.flit_bytes == 1 and not network.contended


def test_a_table_replaces_hops():
    table = ((0.0, 3.0, 9.0), (2.0, 0.0, 8.0), (7.0, 6.0, 0.0))
    network = network_of(Arch(cores=2, network=Network(latency_table_ns=table, hop_ns=50.0, base_ns=1.0)), range(2))
    assert network.distance(0, 1) == 4000 and network.distance(1, 0) == 3000
    assert network.distance(1, MEMORY) == 9000 and network.distance(MEMORY, 0) == 8000
    assert network.spacing(0, 1) == 3000 and network.lag(0, 1, 9000) == 6000  # each flit takes the whole way
    both = network_of(Arch(cores=2, network=Network(latency_table_ns=table, flit_ns=1.0)), range(2))
    assert both.spacing(0, 1) == 1000


FIGURES = st.builds(
    Network,
    width=st.integers(0, 5),
    hop_ns=st.sampled_from([None, 0.5, 7.0]),
    base_ns=st.sampled_from([None, 3.0]),
    latency_table_ns=st.none() | st.lists(st.tuples(*[st.floats(0, 99)] * 10), min_size=10, max_size=10).map(tuple),
)


@given(FIGURES, st.sets(st.integers(0, 8), min_size=1))
def test_no_way_is_longer_than_the_longest(figures, nodes):
    network = network_of(Arch(cores=9, network=figures), nodes)
    ways = [network.distance(*pair) for pair in product([MEMORY, *nodes], repeat=2) if pair[0] != pair[1]]
    assert max(ways) <= network.longest(nodes)


@pytest.mark.parametrize("width", [1, 3, 4])
def test_routes_are_as_long_as_their_hops_and_hang_together(width):
    network = Times(Mesh(width), 0, 1, 1, 1, None, True)
    for src, dst in product(range(MEMORY, 12), repeat=2):
        if src != dst:
            route = network.route(src, dst)
            assert len(route) == network.hops(src, dst) and route[0][0] == src and route[-1][1] == dst
            assert all(first[1] == second[0] for first, second in pairwise(route))


def test_a_shared_medium_is_the_only_link_of_every_way():
    figures = Network(contention="shared", hop_ns=2.0, base_ns=3.0)
    network = network_of(Arch(cores=16, network=figures), range(16))
    assert network.contended and network.shared
    for src, dst in ((0, 15), (5, 6), (MEMORY, 3), (7, MEMORY)):
        assert network.route(src, dst) == (MEDIUM,)
        assert network.base + network.leap(src, dst) == network.distance(src, dst)


@pytest.mark.parametrize("contention", ["links", "shared"])
def test_messages_that_wait_need_the_time_of_a_hop(contention):
    with pytest.raises(
        ArchError, match=rf'network.contention = "{contention}" follows messages .* network.hop_ns above 0'
    ):
        network_of(Arch(cores=4, network=Network(contention=contention)), range(4))
