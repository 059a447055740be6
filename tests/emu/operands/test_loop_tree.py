"""The tree of a section, unrolled, is what a core walks; its marks are where they were asked for."""

import numpy as np
import pytest
from core_programs import Seeded
from timed_nests import Nests
from timed_sets import Sets

from emu.core.sequencer import Sequencer
from emu.isa.codes import ASK_OF
from emu.operands.loop_tree import Loop, loop_tree, loops_in


def unrolled(items, counters=()):
    """Instructions with the counters of the loops around them, and whether each is marked."""
    for item in items:
        if isinstance(item, Loop):
            assert item.depth == len(counters)
            for count in range(item.trips):
                yield from unrolled(item.body, (*counters, count))
        else:
            yield from ((index, counters, index in item.marks) for index in range(item.first, item.last))


def walked(section):
    at = Sequencer(section)
    while not at.at_end:
        if at.at_loop:
            at.enter()
            continue
        yield at.pc, tuple(at.counters)
        at.next()


@pytest.mark.parametrize("kind", [Nests, Sets])
@pytest.mark.parametrize("seed", range(6))
def test_the_tree_is_what_a_core_walks(kind, seed):
    for core in kind(Seeded(seed)).setup().cores.values():
        for timed in core.sections.values():
            section = timed.view.section
            asks = np.flatnonzero(ASK_OF[section.columns["op"]])
            items = loop_tree(section, asks)
            assert [(index, counters) for index, counters, _ in unrolled(items)] == list(walked(section))
            assert {index for index, _, marked in unrolled(items) if marked} <= set(asks.tolist())
            for loop in loops_in(items):
                assert loop.marked == any(marked for *_, marked in unrolled(loop.body, (0,) * (loop.depth + 1)))
