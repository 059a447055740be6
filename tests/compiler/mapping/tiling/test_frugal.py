"""Placement `frugal`: every crossbar once, no core with more to do than where the work is balanced."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from pieces import loads, networks

from compiler.mapping.tiling.frugal import frugal
from compiler.mapping.tiling.spread import spread

MEMORY = 1 << 30


@given(networks(kernels=[(1, 1), (3, 3)]), st.integers(1, 60))
def test_no_core_has_more_to_do(network, cores):
    matrices, feeds = network
    room = sum(m.grid[0] * m.grid[1] for m in matrices)
    balanced = matrices, spread(matrices, cores, room)
    cut, pieces = frugal(matrices, [], balanced, feeds, cores, MEMORY)
    held = Counter((p.matrix, r, c) for p in pieces for r in range(*p.rows) for c in range(*p.cols))
    assert held == {(k, r, c): 1 for k, m in enumerate(cut) for r in range(m.grid[0]) for c in range(m.grid[1])}
    (work, crossbars), (before, most) = loads(cut, pieces), loads(*balanced)
    assert len(work) <= min(cores, len(before))
    assert max(work.values()) <= max(before.values())
    assert max(crossbars.values()) <= max(most.values())
