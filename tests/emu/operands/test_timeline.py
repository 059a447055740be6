"""Step numbers: what is computed without unrolling is what a core walks through."""

import numpy as np
from draws import examples
from hypothesis import given, settings
from strategies_programs import programs as wild_programs

from emu.core.sequencer import Sequencer
from emu.isa.table import LOOP
from emu.operands.timeline import make_timeline


@given(wild_programs())
@settings(max_examples=examples(30, 100))
def test_step_numbers_count_what_a_sequencer_walks(program):
    timeline, sequencer, step = make_timeline(program.main), Sequencer(program.main), 0
    instructions, counters = (part.tolist() for part in timeline.executed(np.arange(min(timeline.total, 2001))))
    while not sequencer.at_end:
        if sequencer.at_loop:
            sequencer.enter()
            continue
        assert timeline.counters(sequencer.pc, step) == tuple(sequencer.counters)
        assert timeline.step_of(sequencer.pc, sequencer.counters) == step
        assert timeline.runs[sequencer.pc]
        depth = len(sequencer.counters)
        assert (instructions[step], counters[step][:depth]) == (sequencer.pc, sequencer.counters)
        assert not any(counters[step][depth:])
        sequencer.next()
        step += 1
        if step > 2000:
            return
    assert timeline.total == step


@given(wild_programs())
@settings(max_examples=examples(30, 100))
def test_steps_of_an_instruction_are_those_of_its_counters(program):
    timeline = make_timeline(program.main)
    steps = np.flatnonzero(timeline.runs & (program.main.columns["op"] != LOOP)).tolist()
    for index in (step for step in steps if timeline.executions(step) <= 2000):
        box = timeline.box(index)
        assert len(box) == len(timeline.loops(index)) == timeline.nest.depth[index]
        counters = list(np.ndindex(*(high for _, high in box)))
        assert [timeline.counters(index, time) for time in timeline.times(index).tolist()] == counters
