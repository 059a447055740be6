"""Cores on several chips: distances are those of the links, nothing is too full, and far less crosses than in order."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.basis.chips import with_chips
from compiler.compiling import lower
from compiler.dialects import pim
from compiler.mapping.placement.chips import chips_of, distances_between, places_on, price_of
from compiler.mapping.placement.mesh import arrange, byte_hops, places_for, weights_of
from compiler.request import make_request
from compiler.session.context import make_context
from compiler.transforms.arrange import exchanged_of
from emu.arch import Arch, Network
from emu.arch.read import load_arch
from emu.arch.system import CONNECTIONS, System
from emu.noc.domains.cut import cut_of
from emu.noc.domains.graph import Price
from emu.noc.traffic.topology import topology_of
from emu.noc.traffic.traffic import MEMORY
from launch.zoo import build


@st.composite
def systems(draw):
    cores, chips = draw(st.integers(1, 7)), draw(st.integers(1, 6))
    network = Network(width=draw(st.integers(1, cores)))
    system = System(chips, draw(st.sampled_from(CONNECTIONS)), draw(st.integers(0, chips)))
    return Arch(cores=cores, network=network, system=system)


@st.composite
def traffics(draw):
    """A system, cores in use below a limit, and what they exchange."""
    arch = draw(systems())
    limit = draw(st.integers(1, arch.all_cores))
    cores = draw(st.lists(st.integers(0, limit - 1), min_size=1, max_size=12, unique=True).map(sorted))
    pairs = st.tuples(st.sampled_from([MEMORY, *cores]), st.sampled_from([MEMORY, *cores]))
    amounts = st.tuples(st.integers(1, 9), st.integers(0, 1000))
    return arch, limit, cores, draw(st.dictionaries(pairs, amounts, max_size=30))


@given(systems(), st.data())
def test_distances_are_the_links_on_the_way(arch, data):
    places = data.draw(st.lists(st.integers(0, arch.all_cores - 1), min_size=1, max_size=10, unique=True))
    topology, found = topology_of(arch), distances_between(arch, places)
    for (row, one), (column, other) in product(enumerate(places), repeat=2):
        assert found[row, column] == topology.hops(one, other)


@given(traffics())
def test_cores_find_room_where_they_cost_no_more(given_):
    arch, limit, cores, sent = given_
    chips = chips_of(sent, cores, arch, limit)
    places, of_places = places_on(chips, arch, limit)
    assert sorted(places) == list(range(limit)) and (of_places == np.array(places) // arch.cores).all()
    assert [place // arch.cores for place in places[: len(cores)]] == [chips[core] for core in cores]
    before = {core: core // arch.cores for core in cores} | {MEMORY: 0}
    after = chips | {MEMORY: 0}
    price, topology = price_of(arch), topology_of(arch)

    def cost(domains):
        crossing = cut_of(sent, domains).crossing.items()
        return sum(price.of(*what) * topology.between.hops(*pair) for pair, what in crossing)

    assert cost(after) <= cost(before)


@given(traffics())
def test_cores_of_a_chip_stay_there_while_they_find_their_places(given_):
    arch, limit, cores, sent = given_
    places, chips = places_on(chips_of(sent, cores, arch, limit), arch, limit)
    nbytes = {pair: size for pair, (_, size) in sent.items() if MEMORY not in pair}
    weights, distances = weights_of(nbytes, cores), distances_between(arch, places)
    order = arrange(weights, distances, domains=chips)
    assert len({*order.tolist()}) == len(cores)
    assert (chips[order] == chips[: len(cores)]).all()
    assert byte_hops(weights, distances, order) <= byte_hops(weights, distances, np.arange(len(cores)))


def test_places_of_the_first_chips_are_looked_at_first():
    places = places_for(2, [9], 12, 4)
    assert places == [9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11]


def test_a_message_costs_its_time_on_a_link_or_its_bytes():
    isaac = load_arch("isaac")
    assert isaac.timing is not None
    for latency, speed, price in (
        (None, None, Price(0.0, 1.0)),
        (50.0, None, Price(50.0, 0.0)),
        (None, 4.0, Price(0.0, 0.25)),
        (50.0, 4.0, Price(50.0, 0.25)),
    ):
        link = replace(isaac.timing.chip_link, latency_ns=latency, bandwidth_gb_per_s=speed)
        assert price_of(replace(isaac, timing=replace(isaac.timing, chip_link=link))) == price
    assert price_of(Arch()) == Price(0.0, 1.0)


NETWORKS = {
    "bert_mini": (16, 0.7),
    "vit_tiny": (64, 0.7),
    "resnet50": (80, 0.8),
}  # cores of a chip, share


@pytest.mark.parametrize(
    "name", [name if name == "bert_mini" else pytest.param(name, marks=pytest.mark.full) for name in NETWORKS]
)
def test_far_less_crosses_than_between_layers_in_order(name):
    cores, most = NETWORKS[name]
    isaac = load_arch("isaac")
    arch = with_chips(replace(isaac, cores=cores, network=replace(isaac.network, width=0)), 4)
    model, found = build(name), {}
    for way in (None, "cut"):
        request = make_request(model, arch, arrange=way)
        module, _ = lower(request, make_context(request.arch, request.options))
        programs = [op for op in module.ops if isinstance(op, pim.CoreOp)]
        chips = {core.coreId.value.data: core.coreId.value.data // cores for core in programs}
        found[way] = cut_of(exchanged_of(programs), chips | {MEMORY: 0}).bytes
    assert 0 < found["cut"] <= most * found[None]
