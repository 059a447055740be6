"""The sequencer visits what a recursive walk visits, with the same counters."""

from hypothesis import given
from hypothesis import strategies as st

from emu.core.sequencer import Sequencer
from emu.program.builder import SectionBuilder

trees = st.recursive(
    st.just("nop"), lambda inner: st.tuples(st.integers(0, 3), st.lists(inner, max_size=3)), max_leaves=12
)


def build(builder, body):
    for node in body:
        if node == "nop":
            builder.emit("nop")
        else:
            with builder.loop(node[0]):
                build(builder, node[1])


def visits(body, start, counters):
    """(index, counters) in order; also the index behind `body`."""
    found, index = [], start
    for node in body:
        if node == "nop":
            found.append((index, counters))
            index += 1
            continue
        trips, inner = node
        for turn in range(trips):
            found += visits(inner, index + 1, (*counters, turn))[0]
        index = visits(inner, index + 1, counters)[1]
    return found, index


@given(st.lists(trees, max_size=4))
def test_walk(body):
    builder = SectionBuilder()
    build(builder, body)
    sequencer = Sequencer(builder.finish())
    for _ in range(2):
        sequencer.restart()
        seen = []
        while True:
            while sequencer.at_loop:
                sequencer.enter()
            if sequencer.at_end:
                break
            seen.append((sequencer.pc, tuple(sequencer.counters)))
            sequencer.next()
        assert seen == visits(body, 0, ())[0]
        assert sequencer.depth == 0 and sequencer.counters == []


def test_a_billion_empty_trips_cost_nothing():
    builder = SectionBuilder()
    with builder.loop(1 << 30), builder.loop(0):
        builder.emit("nop")
    sequencer = Sequencer(builder.finish())
    sequencer.enter()
    assert sequencer.at_end
