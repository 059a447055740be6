"""Distances, routes and gaps between flits."""

from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Network
from emu.arch.figures import Timing
from emu.arch.system import System
from emu.errors import ArchError
from emu.noc.traffic.topology import CONNECTIONS, Mesh
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


SYSTEMS = st.builds(
    System, chips=st.integers(1, 5), topology=st.sampled_from(sorted(CONNECTIONS)), width=st.integers(0, 1)
)
LINKS = st.builds(
    lambda latency, speed: Timing(chip_link=replace(Timing().chip_link, latency_ns=latency, bandwidth_gb_per_s=speed)),
    st.sampled_from([None, 20.0]),
    st.sampled_from([None, 0.5, 6.4]),
)


@given(FIGURES, SYSTEMS, LINKS, st.sets(st.integers(0, 44), min_size=1))
def test_no_way_is_longer_than_the_longest(figures, system, timing, nodes):
    nodes = {node % (9 * system.chips) for node in nodes}
    network = network_of(Arch(cores=9, network=figures, system=system, timing=timing), sorted(nodes))
    ways = [network.distance(*pair) for pair in product([MEMORY, *nodes], repeat=2) if pair[0] != pair[1]]
    assert max(ways) <= network.longest(nodes)


@pytest.mark.parametrize("width", [1, 3, 4])
def test_routes_are_as_long_as_their_hops_and_hang_together(width):
    network = Times(Mesh(width), 0, 1, 1, 1, None, True)
    for src, dst in product(range(MEMORY, 12), repeat=2):
        if src != dst:
            route = [link for link, _ in network.steps(src, dst) if link is not None]
            assert len(route) == network.hops(src, dst) and route[0][0] == src and route[-1][1] == dst
            assert all(first[1] == second[0] for first, second in pairwise(route))


def test_a_shared_medium_is_the_only_link_of_every_way():
    figures = Network(contention="shared", hop_ns=2.0, base_ns=3.0)
    network = network_of(Arch(cores=16, network=figures), range(16))
    assert network.contended and network.shared
    for src, dst in ((0, 15), (5, 6), (MEMORY, 3), (7, MEMORY)):
        ((link, leap),) = network.steps(src, dst)
        assert link == MEDIUM and network.base + leap == network.distance(src, dst)


@pytest.mark.parametrize("contention", ["links", "shared"])
def test_messages_that_wait_need_the_time_of_a_hop(contention):
    with pytest.raises(
        ArchError, match=rf'network.contention = "{contention}" follows messages .* network.hop_ns above 0'
    ):
        network_of(Arch(cores=4, network=Network(contention=contention)), range(4))


@given(FIGURES, SYSTEMS, LINKS, st.sampled_from([None, "links", "shared"]), st.data())
def test_steps_of_a_way_add_up_to_its_distance(figures, system, timing, contention, data):
    queued = contention is not None
    figures = replace(
        figures,
        contention=contention,
        hop_ns=2.0 if queued else figures.hop_ns,
        latency_table_ns=None if queued else figures.latency_table_ns,
    )
    arch = Arch(cores=9, network=figures, system=system, timing=timing)
    network = network_of(arch, range(arch.all_cores))
    nodes = st.integers(MEMORY, arch.all_cores - 1)
    src, dst = data.draw(nodes), data.draw(nodes)
    steps = list(network.steps(src, dst)) if src != dst else []
    assert network.base + sum(leap for _, leap in steps) == network.distance(src, dst) or src == dst
    links = [link for link, _ in steps if link is not None]
    across = [link for link in links if link[0] % 9 == link[1] % 9 == 0 and link[0] // 9 != link[1] // 9]
    assert len(across) == network.crossings(src, dst)
    assert network.passes_links(src, dst) == (queued or bool(across))
    if contention == "links":
        assert len(links) == network.hops(src, dst) + network.crossings(src, dst)


def test_between_chips_a_message_takes_the_ways_to_the_links_and_the_links():
    system, link = System(3, "ring"), replace(Timing().chip_link, latency_ns=20.0, bandwidth_gb_per_s=2.0)
    figures = Network(hop_ns=1.0, base_ns=4.0, flit_ns=0.25, flit_bytes=8)
    network = network_of(Arch(cores=4, network=figures, system=system, timing=Timing(chip_link=link)), range(12))
    assert network.distance(3, 11) == 4_000 + 2_000 + 20_000 + 2_000  # over the corner, one link of the ring, and back
    assert network.distance(5, 9) == 4_000 + 1_000 + 20_000 + 1_000
    assert network.distance(MEMORY, 4) == 4_000 + 1_000 + 20_000 and network.distance(0, 3) == 6_000
    assert network.spacing(0, 4) == 4_000 and network.spacing(0, 1) == 250  # 8 bytes at 2 GB/s
    assert list(network.steps(1, 8)) == [(None, 1_000), ((0, 8), 20_000), (None, 0)]


def test_a_switch_is_two_links_from_everywhere_to_everywhere():
    network = network_of(
        Arch(cores=4, network=Network(hop_ns=1.0), system=System(5, "switch"), timing=Timing()), range(20)
    )
    assert [link for link, _ in network.steps(4, 16) if link] == [(4, 20), (20, 16)]
    assert network.crossings(4, 16) == 2 and network.hops(4, 16) == 0 and network.hops(7, 19) == 4
