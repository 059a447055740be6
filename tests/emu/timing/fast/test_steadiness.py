"""Outside of the special iterations, what shares bytes comes again after the period: held against every iteration."""

import pytest
from core_programs import Drawn, Seeded
from hypothesis import given
from hypothesis import strategies as st
from timed_programs import costs

from emu.arch import Arch
from emu.isa.address import Address, Term
from emu.operands.loop_tree import Loop
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.replay.core_view import CoreView
from emu.timing.fast.body import make_body
from emu.timing.fast.hazards import END, READING, Hazards
from emu.timing.fast.operands import Operands
from emu.timing.fast.steadiness import Steadiness, joined
from emu.timing.setup import TimedSection

TRIPS = 130


def random_loop(choose):
    """A loop of a few copies around another one, in a loop of two iterations."""

    def place(depth):
        terms = []
        for level in range(depth):
            if choose.integer(0, 2):
                modulus = choose.choice((0, 0, 0, 0, 0, 0, 2, 3, 33, 50))
                terms.append(Term(level, choose.choice((-8, 2, 2, 8, 16)), choose.integer(-2, 9), modulus))
        return Address(choose.integer(0, 40) * 8 + 2000, tuple(terms))

    build = SectionBuilder()
    with build.loop(2), build.loop(TRIPS):
        for _ in range(choose.integer(1, 2)):
            build.emit("lmv", (), (place(2), place(2)), size=choose.choice((1, 8, 20)))
        with build.loop(2):
            build.emit("lmv", (), (place(3), place(3)), size=8)
    view = CoreView(Program(0, main=build.finish()), Arch()).sections["main"]
    return view, TimedSection(view, costs(view, {}))


def meetings(hazards, outer, turn, apart):
    """What each copy of iteration `turn` waits for, of each copy of the iterations up to `apart` before it."""
    copies = [(index, (outer, turn, *inner)) for index, inner in places(hazards)]
    before = [(index, (outer, turn - k, *inner)) for k in range(apart + 1) for index, inner in places(hazards)]
    return [hazards.meet(first, at, second, here) for second, here in copies for first, at in before]


def places(hazards):
    """The copies of the loop, with the counters of the loop inside of it."""
    section, timeline = hazards.view.section, hazards.view.timeline
    for index in range(len(section)):
        if section.instr(index).spec.name == "lmv":
            yield from ((index, inner) for inner in ([(0,), (1,)] if len(timeline.loops(index)) > 2 else [()]))


def check(choose):
    """Whether all iterations of a random loop keep to its plan; how many are special, None if there is no plan."""
    view, timed = random_loop(choose)
    hazards, window = Hazards(view, Operands(view)), choose.choice((1, 2, 4, 7))
    loop = next(item for item in make_body(timed).items[0].body if isinstance(item, Loop))
    outer, apart = choose.integer(0, 1), max(window - 1, 1)
    plan = Steadiness(hazards, window).plan(loop, (outer,))
    if plan is None:
        return None
    special = {turn for low, high in plan.special for turn in range(low, high)}
    found = {turn: meetings(hazards, outer, turn, apart) for turn in range(apart, TRIPS)}
    for turn in range(apart, TRIPS - plan.period):
        if special.isdisjoint(range(turn, turn + plan.period + 1)):
            assert found[turn] == found[turn + plan.period], turn
    return len(special)


@given(st.data())
def test_iterations_keep_to_the_plan(data):
    check(Drawn(data))


@pytest.mark.full
def test_many_iterations_keep_to_the_plan():
    special = [check(Seeded(seed)) for seed in range(300)]
    assert special.count(0) > 30 and special.count(None) < 150
    assert sum(1 for count in special if count and count < TRIPS) > 30


def test_an_address_in_a_register_that_the_loop_sets():
    build = SectionBuilder()
    with build.loop(9):
        build.emit("lmv", (), (Address(0, (), 1), Address(100)), size=4)
        build.emit("saddi", rd=1, rs1=1, imm=4)
    view = CoreView(Program(0, main=build.finish()), Arch()).sections["main"]
    loop = make_body(TimedSection(view, costs(view, {}))).items[0]
    assert Steadiness(Hazards(view, Operands(view)), 4).plan(loop, ()) is None


def test_what_is_waited_for():
    build = SectionBuilder()
    for target, source in ((0, 100), (100, 200), (200, 0), (300, 400)):
        build.emit("lmv", (), (Address(target), Address(source)), size=8)
    view = CoreView(Program(0, main=build.finish()), Arch()).sections["main"]
    hazards = Hazards(view, Operands(view))
    met = {(a, b): hazards.meet(a, (), b, ()) for b in range(4) for a in range(b)}
    assert met == {(0, 1): READING, (0, 2): END, (1, 2): READING, (0, 3): 0, (1, 3): 0, (2, 3): 0}


def test_ranges_are_joined():
    assert joined([(5, 9), (-3, 2), (9, 10), (20, 30), (7, 7)], 25) == [(0, 2), (5, 10), (20, 25)]
