"""A product without its weights is refuted with both places: its own, and the write that is to blame."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.arch import Arch, Core, Crossbar
from emu.check import check_programs
from emu.core.sequencer import Sequencer
from emu.isa.address import Address
from emu.isa.codes import WRITES_GROUP
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec, rivals
from emu.program.program import Data, Program, Source

ARCH = Arch(core=Core(local_memory=1024, crossbars=4), crossbar=Crossbar(8, 16))
I8, I32 = DType.i8, DType.i32
GROUPS = tuple(GroupSpec(I8, I8, I32, (rows,), (4,), bank=bank) for rows, bank in ((8, 0), (8, 0), (4, 1)))
NOT_ALL = "the weights of the group are not all on its crossbars, operand group, value 0; "


def emit(build, items):
    for kind, number, *rest in items:
        if kind == "loop":
            with build.loop(number):
                emit(build, rest[0])
        elif kind == "write":
            first, last = rest
            build.emit("xbwrite", (I8,), (Address(0),), group=number, row=first, rows=last - first)
        else:
            build.emit("mvmul", (I8, I32), (Address(256), Address(128)), group=number)


def program(main, init=()):
    sections = []
    for items in (init, main):
        build = SectionBuilder()
        build.source = 0
        emit(build, items)
        sections.append(build.finish())
    data = Data(0, bytes(256)), Data(256, bytes(64))
    return Program(0, GROUPS, data, init=sections[0], main=sections[1], sources=(Source("k"),))


def verdict(made):
    return check_programs({0: made}, ARCH).of("weights").result


WRITE, MULTIPLY = "xbwrite.i8", "mvmul.i8.i32"


@pytest.mark.parametrize(
    ("main", "init", "where", "why"),
    [
        ([("multiply", 0)], [], "main[0]", "nothing has written any of its rows before"),
        (
            [("write", 1, 0, 8), ("multiply", 0)],
            [("write", 0, 0, 8)],
            "main[1]",
            "main[0] xbwrite.i8 (sample 0, node k) has put group 1 on its crossbars",
        ),
        ([("write", 1, 0, 8), ("multiply", 0)], [], "main[1]", "nothing has written any of its rows before"),
        (
            [("write", 0, 0, 2), ("write", 0, 5, 8), ("multiply", 0)],
            [],
            "main[2]",
            "rows 2 to 4 of its 8 are missing after main[1] xbwrite.i8 (sample 0, node k)",
        ),
        (
            [("write", 0, 0, 8), ("write", 1, 0, 1), ("write", 0, 1, 8), ("multiply", 0)],
            [],
            "main[3]",
            "main[1] xbwrite.i8 (sample 0, node k) has put group 1 on its crossbars, and row 0 of its 8 is missing"
            " after main[2] xbwrite.i8 (sample 0, node k)",
        ),
        (
            [("write", 0, 0, 8), ("loop", 5, [("write", 0, 0, 8), ("write", 1, 0, 8)]), ("multiply", 0)],
            [],
            "main[4]",
            "main[3] xbwrite.i8 (sample 0, loops [4], node k) has put group 1 on its crossbars",
        ),
        (
            [("multiply", 0), ("write", 1, 0, 3)],
            [("write", 0, 0, 8)],
            "main[0]",
            "main[1] xbwrite.i8 (sample 0, node k) has put group 1 on its crossbars",
        ),
    ],
)
def test_the_sentence_names_both_places(main, init, where, why):
    found = verdict(program(main, init))
    assert found.detail.startswith(f"core 0 at {where} {MULTIPLY} (sample ")
    assert found.detail.endswith(NOT_ALL + why)
    other = found.finding.other
    assert (other is None) == ("before" in why)
    assert other is None or str(other) in why


ROWS = st.tuples(st.integers(0, 8), st.integers(0, 8)).map(sorted)
ITEMS = st.deferred(
    lambda: st.lists(
        st.one_of(
            st.tuples(st.just("write"), st.integers(0, 1), ROWS).map(lambda item: (*item[:2], *item[2])),
            st.tuples(st.just("write"), st.integers(0, 1), st.just((0, 8))).map(lambda item: (*item[:2], *item[2])),
            st.tuples(st.just("multiply"), st.integers(0, 1)),
            st.tuples(st.just("loop"), st.integers(0, 4), ITEMS),
        ),
        max_size=4,
    )
)


def walked(made):
    """The first product without its weights of an unrolled run, and the write that it may blame."""
    others, held, blamed = rivals(made.groups), {}, {}
    for name, sample in (("init", -1), *(("main", number) for number in range(4))):
        section = getattr(made, name)
        at = Sequencer(section)
        while not at.at_end:
            if at.at_loop:
                at.enter()
                continue
            instr, place = section.instr(at.pc), (name, at.pc, tuple(at.counters), sample)
            if WRITES_GROUP[instr.spec.code]:
                if instr.n:
                    for other in others[instr.arg0]:
                        if held.pop(other, None):
                            blamed[other] = "rival", place
                    held.setdefault(instr.arg0, set()).update(range(instr.arg1, instr.arg1 + instr.n))
                    if blamed.get(instr.arg0, ("own",))[0] == "own":
                        blamed[instr.arg0] = "own", place
            elif instr.spec.name == "mvmul" and len(held.get(instr.arg0, ())) < made.groups[instr.arg0].rows:
                return place, blamed.get(instr.arg0, ("", None))[1]
            at.next()
    return None, None


@given(ITEMS, ITEMS)
def test_the_write_to_blame_is_that_of_an_unrolled_run(before, items):
    made = program(items, before)
    place, blamed = walked(made)
    found = verdict(made).finding
    told = [
        at and (at.section, at.index, at.counters, at.sample) for at in (found and found.place, found and found.other)
    ]
    assert told == [place, blamed]
