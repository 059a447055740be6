"""Every pattern is what its name says in the literature, and follows one order of messages."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.errors import InputError
from emu.stress.grid import grid_of
from emu.stress.order import independent
from emu.stress.patterns import PATTERNS, phases_of
from emu.stress.random_traffic import MAX_PEERS


def sent(name, cores, seed=0):
    """(sender, receiver) of one round, in order, repetitions included."""
    return [pair for phase in phases_of(name, cores, seed) for pair in phase.pairs * phase.repeat]


PERMUTATIONS_OF_16 = {  # destinations of cores 0 to 15, as Dally and Towles define them (4 x 4)
    "bitcomp": [15 - core for core in range(16)],
    "bitrev": [int(f"{core:04b}"[::-1], 2) for core in range(16)],
    "shuffle": [int(f"{core:04b}"[1:] + f"{core:04b}"[0], 2) for core in range(16)],
    "transpose": [4 * (core % 4) + core // 4 for core in range(16)],
    "tornado": [4 * ((core // 4 + 1) % 4) + (core + 1) % 4 for core in range(16)],
    "neighbor": [4 * ((core // 4 + 1) % 4) + (core + 1) % 4 for core in range(16)],
    "ring": [(core + 1) % 16 for core in range(16)],
}


@pytest.mark.parametrize("name", PERMUTATIONS_OF_16)
def test_permutations(name):
    wanted = {(src, dst) for src, dst in enumerate(PERMUTATIONS_OF_16[name]) if src != dst}
    assert Counter(sent(name, 16)) == Counter(wanted)


def test_tornado_goes_almost_half_way_around():
    assert (0, 3 * 8 + 3) in sent("tornado", 64) and (5 * 8 + 6, 0 * 8 + 1) in sent("tornado", 64)


def test_collectives():
    everyone = range(1, 12)
    assert sent("incast", 12) == [(core, 0) for core in everyone]
    assert sent("scatter-gather", 12) == [(0, core) for core in everyone] + [(core, 0) for core in everyone]
    assert Counter(sent("all-to-all", 12)) == Counter((a, b) for a in range(12) for b in range(12) if a != b)
    assert Counter(sent("allreduce-ring", 12)) == {(core, (core + 1) % 12): 22 for core in range(12)}
    assert len(sent("allreduce-tree", 12)) == 22


@given(st.integers(2, 70))
def test_a_broadcast_reaches_everybody_once_and_only_from_those_that_have_it(cores):
    reached = {0}
    for src, dst in sent("broadcast", cores):
        assert src in reached and dst not in reached
        reached.add(dst)
    assert reached == set(range(cores))


@given(st.integers(2, 70))
def test_a_tree_reduces_before_it_broadcasts(cores):
    pairs = sent("allreduce-tree", cores)
    up, down = pairs[: cores - 1], pairs[cores - 1 :]
    gave = set()
    for src, dst in up:
        assert src not in gave and dst not in gave
        gave.add(src)
    assert gave == set(range(1, cores)) and down == sent("broadcast", cores)


@given(st.integers(2, 70))
def test_grids(cores):
    grid = grid_of(cores)
    assert grid.rows * grid.cols == cores and grid.rows <= grid.cols
    near = {
        (a, b)
        for a in range(cores)
        for b in range(cores)
        if abs(a // grid.cols - b // grid.cols) + abs(a % grid.cols - b % grid.cols) == 1
    }
    assert Counter(sent("halo2d", cores)) == Counter(near) == Counter(sent("sweep2d", cores))


@given(st.integers(2, 70))
def test_a_sweep_sends_only_after_all_inputs(cores):
    forth = phases_of("sweep2d", cores)[0].pairs
    done = set()
    for src, dst in forth:
        assert all(pair in done for pair in forth if pair[1] == src)
        done.add((src, dst))


@given(st.integers(2, 120), st.integers(0, 9))
@settings(max_examples=30)
def test_uniform_has_few_peers(cores, seed):
    pairs = sent("uniform", cores, seed)
    peers = {core: {a + b - core for a, b in pairs if core in (a, b)} for core in range(cores)}
    assert max(map(len, peers.values())) <= MAX_PEERS
    assert all(src != dst for src, dst in pairs) and len(pairs) >= 0.9 * 8 * cores


def test_a_quarter_of_hotspot_goes_to_core_0():
    pairs = sent("hotspot", 256, 3)
    assert 0.2 < sum(dst == 0 for _, dst in pairs) / len(pairs) < 0.3


@given(st.integers(2, 60), st.integers(0, 9))
def test_a_random_dag_sends_only_after_all_inputs(cores, seed):
    pairs = sent("random-dag", cores, seed)
    started = set()
    for src, dst in pairs:
        started.add(src)
        assert dst not in started  # who has sent receives no more: no cycle


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_independent_messages_keep_the_order_of_each_pair_and_travel_side_by_side(pairs):
    phase = independent(pairs)
    assert Counter(phase.pairs) == Counter((a, b) for a, b in pairs if a != b)
    degree = Counter(end for pair in phase.pairs for end in pair)
    rounds, busy = 1 if phase.pairs else 0, set()
    for pair in phase.pairs:
        if busy & set(pair):
            rounds, busy = rounds + 1, set()
        busy |= set(pair)
    assert rounds <= max(0, 2 * max(degree.values(), default=0) - 1)


@pytest.mark.parametrize(
    ("name", "cores", "text"),
    [
        ("swirl", 4, "pattern 'swirl' is unknown: use one of pingpong, ring"),
        ("ring", 1, "pattern ring needs at least 2 cores, not 1"),
        ("transpose", 8, "pattern transpose needs a square number of cores, not 8"),
        ("bitrev", 12, "pattern bitrev needs a power of two of cores, not 12"),
        ("tornado", 4, "pattern tornado sends nothing on 4 cores: use more"),
    ],
)
def test_refusals(name, cores, text):
    with pytest.raises(InputError, match=text):
        phases_of(name, cores)


def test_random_traffic_depends_on_the_seed_only():
    for name in PATTERNS:
        assert phases_of(name, 16, 1) == phases_of(name, 16, 1)
    assert phases_of("uniform", 16, 1) != phases_of("uniform", 16, 2)


def test_the_documentation_has_every_pattern():
    page = (Path(__file__).parent.parent.parent.parent / "docs" / "stress.md").read_text().partition("## Chaos")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == list(PATTERNS)
