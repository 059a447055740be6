"""Global memory: conflicts ordered by messages or refuted, against a search in the graph of happens-before."""

from itertools import combinations

import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from images import byte_tensor
from stepper import program

from emu.arch import Arch
from emu.check import Outcome, check_programs
from emu.image.manifest import ReadOnlySpec
from emu.isa.address import Address, Term
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program

ARCH = Arch(name="test")
FLOWS = {"rendezvous": 0, "credits:1": 1, "credits:2": 2}
FILL = ("lldi", 0, 7, 64)


def races(programs, flow=None, **tensors):
    return check_programs(programs, ARCH, flow=FlowControl.parse(flow) if flow else None, **tensors).of("races")


@st.composite
def sharing(draw):
    """Messages in one total order, with loads and stores of 3 slots of global memory in between."""
    cores = draw(st.integers(2, 3))
    steps = {core: [FILL] for core in range(cores)}
    for _ in range(draw(st.integers(1, 9))):
        kind, slot, core = (
            draw(st.sampled_from(("message", "message", "ld", "st"))),
            draw(st.integers(0, 2)),
            draw(st.integers(0, cores - 1)),
        )
        if kind == "message":
            other = (core + draw(st.integers(1, cores - 1))) % cores
            steps[core].append(("send", other, 0, 8))
            steps[other].append(("recv", core, 8, 8))
        elif kind == "st":
            steps[core].append(("st", 8 * slot, 0, 8))
        else:
            steps[core].append(("ld", 16, 8 * slot, 8))
    return steps


def happens_before(steps, credits):
    """Nodes (core, step, begin or end) that each node reaches; None credits: messages alone."""
    edges = {}
    for core, mine in steps.items():
        for at in range(len(mine)):
            edges.setdefault((core, at, 0), set()).add((core, at, 1))
            edges.setdefault((core, at, 1), set()).add((core, at + 1, 0))
    for src in steps:
        for dst in steps:
            sends = [at for at, step in enumerate(steps[src]) if step[:2] == ("send", dst)]
            takes = [at for at, step in enumerate(steps[dst]) if step[:2] == ("recv", src)]
            for index, (send, take) in enumerate(zip(sends, takes, strict=True)):
                edges[src, send, 0].add((dst, take, 1))
                if credits is not None and index + credits < len(sends):
                    edges[dst, take, 0].add((src, sends[index + credits], 1))
    reached = {}

    def visit(node):
        if node not in reached:
            reached[node] = set()
            for other in edges.get(node, ()):
                reached[node] |= {other} | visit(other)
        return reached[node]

    for node in list(edges):
        visit(node)
    return reached


def sound(steps, credits):
    """Whether all conflicts are ordered and every load finds a store before it."""
    reached = happens_before(steps, credits)
    accesses = [
        (core, at, step[0] == "st", step[1] if step[0] == "st" else step[2])
        for core, mine in steps.items()
        for at, step in enumerate(mine)
        if step[0] in ("ld", "st")
    ]

    def before(a, b):
        return (b[0], b[1], 0) in reached[a[0], a[1], 1]

    ordered = all(
        before(a, b) or before(b, a)
        for a, b in combinations(accesses, 2)
        if a[3] == b[3] and (a[2] or b[2]) and a[0] != b[0]
    )
    return ordered and all(
        any(store[2] and store[3] == load[3] and before(store, load) for store in accesses)
        for load in accesses
        if not load[2]
    )


@given(sharing())
@settings(max_examples=examples(25, 150))
def test_happens_before_is_reachability(steps):
    programs = {core: program(core, *mine) for core, mine in steps.items()}
    for flow, credits in FLOWS.items():
        assert (races(programs, flow).outcome is Outcome.PROVED) == sound(steps, credits)
    every = races(programs).outcome
    assert (every is Outcome.PROVED) == sound(steps, None)
    assert every is not Outcome.UNPROVED or sound(steps, 0)


def test_a_race_names_both_accesses():
    programs = {0: program(0, FILL, ("st", 8, 0, 8)), 1: program(1, FILL, ("st", 12, 0, 8))}
    verdict = races(programs)
    assert verdict.outcome is Outcome.REFUTED
    assert "core 0 at main[1] st (sample 0): stores bytes that core 1 stores at main[1] st" in verdict.detail
    assert verdict.result.finding.value == 12


def test_an_order_made_by_rendezvous_only_is_told():
    programs = {
        0: program(0, FILL, ("send", 1, 0, 8), ("st", 0, 0, 8)),
        1: program(1, FILL, ("st", 0, 0, 8), ("recv", 0, 8, 8)),
    }
    assert races(programs, "rendezvous").outcome is Outcome.PROVED
    assert races(programs, "credits:1").outcome is Outcome.REFUTED
    every = races(programs)
    assert every.outcome is Outcome.UNPROVED and "ordered by rendezvous only" in every.detail


@pytest.mark.parametrize("syncs", [1, 2])
def test_events_order_when_the_wait_needs_the_sync(syncs):
    """With one more sync than the wait takes, either may be the one that let it pass."""
    programs = {
        0: program(0, FILL, ("st", 0, 0, 8), ("sync", 1, 0)),
        1: program(1, FILL, ("wait", 0, 1), ("ld", 8, 0, 8)),
        2: program(2, *[("sync", 1, 0)] * (syncs - 1)),
    }
    assert races(programs).outcome is (Outcome.PROVED if syncs == 1 else Outcome.REFUTED)


def test_inputs_stay_and_outputs_are_complete():
    inputs, outputs = (byte_tensor("in", 16, 0),), (byte_tensor("out", 16, 64),)
    cases = {
        "": (("ld", 0, 0, 16), ("st", 64, 0, 16)),
        "overwrites input in": (("ld", 0, 0, 16), ("st", 60, 0, 20), ("st", 12, 0, 8)),
        "no core stores byte 0x004c of global memory, which output out": (("ld", 0, 0, 16), ("st", 64, 0, 12)),
        "loads global memory that no one has stored before, operand src, address 0x0010": (
            ("ld", 0, 0, 20),
            ("st", 64, 0, 16),
        ),
    }
    for words, steps in cases.items():
        verdict = races({0: program(0, FILL, *steps)}, inputs=inputs, outputs=outputs)
        assert verdict.outcome is (Outcome.REFUTED if words else Outcome.PROVED)
        assert words in verdict.detail


def test_read_only_tensors_are_read_without_a_store_and_stay_as_they_are():
    weights = ReadOnlySpec("weights", DType.u8, (16,), 32, "w"), ReadOnlySpec("table", DType.u8, (8,), 48, "t")
    tensors = {"inputs": (byte_tensor("in", 16, 0),), "outputs": (byte_tensor("out", 16, 64),), "read_only": weights}
    first = "(sample 0): overwrites read-only tensor"
    cases = {
        "": (("ld", 0, 32, 24), ("st", 64, 0, 16), ("st", 24, 0, 8), ("ld", 0, 24, 24), ("st", 56, 0, 8)),
        f"main[1] st {first} 'weights', which ends at 0x0030, address 0x0028, limit 0x0030": (
            ("st", 40, 0, 16),
            ("st", 32, 0, 1),
        ),
        f"main[2] st {first} 'weights', which ends at 0x0030, address 0x0020, limit 0x0030": (
            ("st", 0, 0, 4),  # of an input, which no run notices
            ("st", 28, 0, 32),
        ),
        f"main[1] st {first} 'table', which ends at 0x0038, address 0x0037, limit 0x0038": (("st", 55, 0, 9),),
        "loads global memory that no one has stored before, operand src, address 0x001f": (
            ("ld", 0, 31, 3),
            ("st", 64, 0, 16),
        ),
    }
    for words, steps in cases.items():
        for cores in ({0: program(0, FILL, *steps)}, {0: program(0), 3: program(3, FILL, *steps)}):
            verdict = races(cores, **tensors)
            assert verdict.outcome is (Outcome.REFUTED if words else Outcome.PROVED)
            assert verdict.detail.endswith(words) and (not words or verdict.detail.startswith(f"core {max(cores)} at"))


def test_the_first_iteration_that_meets_a_read_only_tensor_is_named():
    build = SectionBuilder()
    build.emit("lldi", (), (Address(0),), byte=0, size=8)
    with build.loop(4) as loop, build.loop(3):
        build.emit("st", (), (Address(0, (Term(loop, 8),)), Address(0)), size=8)
    weights = ReadOnlySpec("w", DType.f32, (2,), 16, "w")
    finding = races({0: Program(0, main=build.finish())}, read_only=(weights,)).result.finding
    assert (finding.place.counters, finding.value, finding.limit) == ((2, 0), 16, 24)


def test_read_only_tensors_are_out_of_reach_of_init():
    weights = (ReadOnlySpec("w", DType.f32, (2,), 16, "w"),)
    for step in (("ld", 0, 16, 8), ("st", 16, 0, 8)):
        verdict = races({0: program(0, init=(FILL, step))}, read_only=weights)
        assert verdict.outcome is Outcome.REFUTED and "no sample is under way in init" in verdict.detail


def test_global_memory_belongs_to_a_sample():
    verdict = races({0: program(0, init=(FILL, ("st", 0, 0, 8)))})
    assert verdict.outcome is Outcome.REFUTED and "core 0 at init[1] st: no sample is under way" in verdict.detail


def test_stores_in_loops():
    build = SectionBuilder()
    build.emit("lldi", (), (Address(0),), byte=0, size=8)
    with build.loop(4) as loop:
        build.emit("st", (), (Address(0, (Term(loop, 8),)), Address(0)), size=8)
    programs = {0: Program(0, main=build.finish()), 1: program(1, FILL, ("st", 28, 0, 4))}
    verdict = races(programs, outputs=(byte_tensor("out", 32, 0),))
    assert verdict.result.finding.place.counters == (3,)
    del programs[1]
    assert races(programs, outputs=(byte_tensor("out", 32, 0),)).outcome is Outcome.PROVED
