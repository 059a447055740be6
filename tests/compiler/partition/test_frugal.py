"""The frugal step of `spread`: every crossbar once, no core with more to do than where the work is balanced."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from compiler.partition.frugal import frugal
from compiler.partition.matrix import FilterMatrix
from compiler.partition.spread import spread

MEMORY = 1 << 30


@st.composite
def networks(draw):
    """Matrices one after the other, each fed by the one before."""
    sizes = st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(1, 200), st.sampled_from([(1, 1), (3, 3)]))
    drawn = draw(st.lists(sizes, min_size=1, max_size=8))
    matrices = [
        FilterMatrix(f"m{number}", channels, filters, kernel, pixels, 16, 16, "dense")
        for number, (channels, filters, pixels, kernel) in enumerate(drawn)
    ]
    return matrices, {number: frozenset(range(number)[-1:]) for number in range(len(matrices))}


def loads(matrices, pieces):
    work, crossbars = Counter(), Counter()
    for piece in pieces:
        work[piece.core] += piece.crossbars * matrices[piece.matrix].pixels
        crossbars[piece.core] += piece.crossbars
    return work, crossbars


@given(networks(), st.integers(8, 60))
def test_no_core_has_more_to_do(network, cores):
    matrices, feeds = network
    room = max(m.grid[0] * m.grid[1] for m in matrices)
    balanced = matrices, spread(matrices, cores, room)
    cut, pieces = frugal(matrices, [], balanced, feeds, cores, MEMORY)
    held = Counter((p.matrix, r, c) for p in pieces for r in range(*p.rows) for c in range(*p.cols))
    assert held == {(k, r, c): 1 for k, m in enumerate(cut) for r in range(m.grid[0]) for c in range(m.grid[1])}
    (work, crossbars), (before, most) = loads(cut, pieces), loads(*balanced)
    assert len(work) <= min(cores, len(before))
    assert max(work.values()) <= max(before.values())
    assert max(crossbars.values()) <= max(most.values())
