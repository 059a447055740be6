"""XY routes, hops and link loads of the mesh; traffic read from programs."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Network
from emu.arch.system import System
from emu.errors import ArchError
from emu.isa.address import Address
from emu.noc.traffic.topology import Mesh, loads, topology_of
from emu.noc.traffic.traffic import event_sources, peers_of, traffic
from emu.program.builder import SectionBuilder
from emu.program.program import Program


@given(st.integers(1, 9), st.integers(0, 80), st.integers(0, 80))
def test_routes_are_shortest_and_go_x_first(width, src, dst):
    mesh = Mesh(width)
    links = list(mesh.route(src, dst))
    nodes = [src, *(there for _, there in links)]
    assert nodes[-1] == dst and all(here == nodes[k] for k, (here, _) in enumerate(links))
    assert len(links) == mesh.hops(src, dst) == abs(src % width - dst % width) + abs(src // width - dst // width)
    vertical = [abs(a - b) == width and a % width == b % width for a, b in links]
    assert vertical == sorted(vertical) or width == 1


@given(st.integers(1, 9), st.integers(1, 60), st.data())
def test_routes_stay_on_the_nodes_that_there_are(width, count, data):
    mesh, node = Mesh(width, count), st.integers(0, count - 1)
    src, dst = data.draw(node), data.draw(node)
    links = list(mesh.route(src, dst))
    assert len(links) == mesh.hops(src, dst) and [src, *(there for _, there in links)][-1] == dst
    assert all(0 <= there < count for _, there in links)


def test_a_row_that_ends_early_is_left_along_the_column():
    assert list(Mesh(3, 7).route(6, 1)) == [(6, 3), (3, 0), (0, 1)]
    assert list(Mesh(3, 7).route(1, 6)) == [(1, 0), (0, 3), (3, 6)]


def test_loads_sum_over_links():
    result = loads(Mesh(2), {(0, 3): 10, (1, 3): 5, (2, 2): 7})
    assert result.links == {(0, 1): 10, (1, 3): 15}
    assert (result.total, result.byte_hops) == (22, 25)
    assert loads(Mesh(2), {}).links == {}


def test_topology_of_an_architecture():
    assert topology_of(Arch(cores=17)).width == 5
    assert topology_of(Arch(cores=16)).width == 4
    assert topology_of(Arch(network=Network(width=7))).width == 7
    with pytest.raises(ArchError, match="torus"):
        topology_of(dataclasses.replace(Arch(), network=Network("torus")))


@given(
    st.sampled_from(["mesh", "ring", "switch"]),
    st.integers(2, 9),
    st.integers(0, 4),
    st.integers(1, 12),
    st.integers(0, 5),
    st.data(),
)
def test_ways_between_chips_hang_together_and_are_as_long_as_their_hops(connection, count, across, cores, width, data):
    system = System(count, connection, min(across, count))
    topology = topology_of(Arch(cores=cores, network=Network(width=width), system=system))
    node = st.integers(0, count * cores - 1)
    src, dst = data.draw(node), data.draw(node)
    links = list(topology.route(src, dst))
    nodes = [src, *(there for _, there in links)]
    assert nodes[-1] == dst and all(here == nodes[k] for k, (here, _) in enumerate(links))
    assert len(links) == topology.hops(src, dst) and len(set(nodes)) == len(nodes)
    outside = {node // cores for node in nodes} - set(range(count))
    assert outside == ({count} if connection == "switch" and src // cores != dst // cores else set())


def looped_program():
    builder = SectionBuilder()
    with builder.loop(3):
        builder.emit("send", operands=[Address(0)], core=1, size=10)
        with builder.loop(4):
            builder.emit("send", operands=[Address(0)], core=2, size=1)
        builder.emit("sync", core=2, event=5)
    builder.emit("recv", operands=[Address(0)], core=3, size=8)
    with builder.loop(0):
        builder.emit("send", operands=[Address(0)], core=1, size=100)
    return Program(0, main=builder.finish())


def test_traffic_multiplies_loop_trips():
    program = looped_program()
    assert traffic({0: program}) == {(0, 1): 30, (0, 2): 12}
    peers = peers_of(program)
    assert (peers.outgoing, peers.incoming) == ((1, 2), (3,))
    sources = event_sources({0: program})
    assert set(sources(2, 5)) == {0} and not sources(2, 6)
