"""Random program sets that only talk: messages, events and loops around them."""

from hypothesis import strategies as st
from stepper import emit

from emu.program.builder import SectionBuilder
from emu.program.program import Program, Source


@st.composite
def talks(draw, core, cores, depth=0):
    """Steps of one core: messages, events and loops around them, in any order."""
    steps = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(("send", "recv", "send", "recv", "sync", "wait", "loop")))
        peer = draw(st.integers(0, cores - 2))
        peer += peer >= core
        if kind == "loop" and depth < 2:
            steps.append(("loop", draw(st.integers(0, 3)), draw(talks(core, cores, depth + 1))))
        elif kind in ("send", "recv"):
            steps.append((kind, peer, 0, draw(st.sampled_from((8, 8, 8, 8, 8, 8, 4)))))
        elif kind == "sync":
            steps.append((kind, peer, draw(st.integers(0, 1))))
        elif kind == "wait":
            steps.append((kind, draw(st.integers(0, 1)), draw(st.integers(0, 2))))
    return steps


def build(steps):
    builder = SectionBuilder()
    builder.source = 0
    _emit(builder, steps)
    return builder.finish()


def _emit(builder, steps):
    for name, *args in steps:
        if name == "loop":
            with builder.loop(args[0]):
                _emit(builder, args[1])
        else:
            emit(builder, name, *args)


@st.composite
def anything(draw):
    """Programs that talk at random: most of them deadlock."""
    cores = draw(st.integers(2, 4))
    return {
        core: Program(
            core,
            init=build(draw(talks(core, cores)) if draw(st.integers(0, 3)) == 0 else []),
            main=build(draw(talks(core, cores))),
            sources=(Source(f"node{core}"),),
        )
        for core in range(cores)
    }


@st.composite
def nearly_ordered(draw):
    """Projections of one order of messages, two steps of a core swapped now and then: they match, many complete."""
    cores = draw(st.integers(2, 4))
    pair = st.permutations(range(cores)).map(lambda order: order[:2])
    steps = {core: [] for core in range(cores)}
    for src, dst in draw(st.lists(pair, max_size=10)):
        if draw(st.integers(0, 4)) == 0:
            steps[src].append(("sync", dst, 0))
            steps[dst].append(("wait", 0, 1))
        else:
            steps[src].append(("send", dst, 0, 8))
            steps[dst].append(("recv", src, 0, 8))
    for mine in steps.values():
        if len(mine) > 1 and draw(st.booleans()):
            at = draw(st.integers(0, len(mine) - 2))
            mine[at], mine[at + 1] = mine[at + 1], mine[at]
    return {core: Program(core, main=build(mine), sources=()) for core, mine in steps.items()}
