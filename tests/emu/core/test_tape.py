"""What a core does between requests is played from the third sample on: it is what it would do without."""

from unittest.mock import patch

import numpy as np
import pytest
from core_programs import ARCH, Generator, Seeded, weights
from core_runs import Trace, run_section, snapshot

from emu.arch import Arch
from emu.arch import Core as CoreSpec
from emu.core.batch import engine as batch_engine
from emu.core.batch import tape
from emu.core.batch.settled import settled
from emu.core.batch.tape import Tape
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.request import Recv, Send
from emu.core.trap import CoreTrap
from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Data, Program

WEIGHTS = weights()
F = (DType.f32,)


def seen(program, samples, plays, keep=True, watched=False):
    """All that can be seen of a core, statistics included, what it tells if `watched`, and how many stretches it plays.

    It plays none unless `plays`.
    """
    core = Core(program, ARCH, WEIGHTS, "batch", range(len(program.buffers)) if keep else ())
    indices = []
    if watched:
        core.watch(indices.append)
    trace, played, play = Trace(statistics=core.statistics), [], Tape.play if plays else lambda self: None
    with patch.object(Tape, "play", lambda self: (step := play(self)) and (played.append(step), step)[1]):
        try:
            for number in range(samples):
                core.begin("main" if number else "init", number)
                run_section(core, trace)
                trace.states.append(snapshot(core))
        except CoreTrap as trap:
            trace.trap = trap.record
    return (trace.requests, trace.states, trace.trap, trace.statistics, indices), len(played)


@pytest.mark.parametrize(("calls", "stretches"), [(1 << 16, 1 << 14), (12, 1 << 14), (1 << 16, 3)])
def test_random_programs_are_played_as_they_were_run(monkeypatch, calls, stretches):
    monkeypatch.setattr(tape, "MAX_CALLS", calls)
    monkeypatch.setattr(tape, "MAX_STRETCHES", stretches)
    left_out = []
    monkeypatch.setattr(
        tape, "settled", lambda *sample: (done := settled(*sample)) and (left_out.extend(done), done)[1]
    )
    steps = trapped = told = 0
    for seed in range(4000, 4080):
        program = Generator(Seeded(seed)).program()
        for keep in (True, False):
            plain, _ = seen(program, 5, plays=False, keep=keep, watched=True)
            watched, telling = seen(program, 5, plays=True, keep=keep, watched=True)
            played, count = seen(program, 5, plays=True, keep=keep)
            assert watched == plain and played == (*plain[:-1], [])
            steps, trapped, told = steps + count, trapped + (plain[2] is not None), told + telling
    assert steps > 30 and told > 15 and trapped > 20 and len(left_out) > 10


def relayed(write, content=b""):
    main = SectionBuilder()
    write(main)
    return Core(
        Program(0, data=(Data(0, content),), main=main.finish()),
        Arch(core=CoreSpec(local_memory=1024, registers=4)),
        (),
        "batch",
    )


def sums(b):
    """Twelve messages, each added to one of three places."""
    b.emit("lldi", (), (A(0),), byte=0, size=12)
    with b.loop(12):
        b.emit("recv", (), (A(512),), core=1, size=4)
        with b.loop(1):
            place = A(0, (Term(0, 4, 0, 3),))
            b.emit("vvadd", F, (place, place, A(512)), n=1)
        b.emit("send", (), (A(0, (Term(0, 4, 0, 3),)),), core=2, size=4)


def sent(core, sample):
    """What it sends if it is sent `sample`, `sample` + 1 ..., and the requests."""
    core.begin("main", sample)
    values, requests, given = [], [], iter(range(sample, sample + 100))
    while (step := core.advance()) is not Progress.HALTED:
        requests.append((step, core.position()))
        if isinstance(step, Recv):
            step.into[:] = np.float32(next(given)).tobytes()
        elif isinstance(step, Send):
            values.append(np.frombuffer(step.data, np.float32)[0])
        core.complete(step)
    return values, requests


def wanted(sample):
    total, values = np.zeros(3), []
    for k in range(12):
        total[k % 3] += sample + k
        values.append(total[k % 3])
    return values


def test_requests_of_a_loop_are_made_once_and_stand_where_they_stood():
    core = relayed(sums)
    seen = [sent(core, sample) for sample in range(5)]
    assert [values for values, _ in seen] == [wanted(sample) for sample in range(5)]
    places = [[place[:3] for _, place in requests] for _, requests in seen]
    assert all(place == places[0] for place in places)
    assert [number for *_, number in (place for _, place in seen[4][1])] == [4] * 24
    assert all(now is before for (now, _), (before, _) in zip(seen[4][1], seen[1][1], strict=True))


def test_a_core_that_is_checked_again_and_one_that_stops_in_the_middle_go_on():
    core = relayed(sums)
    sent(core, 0)
    core.begin("main", 1)  # would be noted, and is left
    core.complete(core.advance())
    for sample in (2, 3, 4):
        assert sent(core, sample)[0] == wanted(sample)
    core.begin("main", 5)
    core.complete(core.advance())
    core.check_again()
    for sample in (6, 7, 8):
        assert sent(core, sample)[0] == wanted(sample)


def test_what_is_played_asks_for_no_plan_and_no_instruction():
    core = relayed(sums)
    for sample in range(2):
        sent(core, sample)
    with patch.object(batch_engine, "make_request", side_effect=AssertionError):
        assert sent(core, 2)[0] == wanted(2)


def constants(b):
    """Copies of constants, some of which are written by others, too."""
    b.emit("lmv", (), (A(64), A(0)), size=16)  # settled
    b.emit("lmv", (), (A(96), A(64)), size=16)  # settled, too
    b.emit("lmv", (), (A(128), A(0)), size=16)  # the message overwrites its end
    b.emit("lmv", (), (A(160), A(128)), size=16)
    b.emit("lldi", (), (A(192),), byte=0, size=16)
    b.emit("vvadd", F, (A(192), A(192), A(96)), n=4)
    b.emit("vvadd", F, (A(224), A(0), A(64)), n=4)  # settled
    b.emit("recv", (), (A(140),), core=1, size=4)
    b.emit("vvadd", F, (A(256), A(96), A(128)), n=4)
    b.emit("send", (), (A(268),), core=2, size=4)
    b.emit("send", (), (A(160),), core=2, size=4)
    b.emit("send", (), (A(204),), core=2, size=4)


def test_copies_of_constants_are_made_once(monkeypatch):
    left_out = []
    monkeypatch.setattr(tape, "settled", lambda *sample: left_out.append(settled(*sample)) or left_out[-1])
    core = relayed(constants, np.float32([1, 2, 3, 4]).tobytes())
    for sample in range(5):
        assert sent(core, sample)[0] == [4 + sample, 1, 4]
    assert [len(done) for done in left_out] == [3]
    assert core.memory.window(224, 240).tobytes() == np.float32([2, 4, 6, 8]).tobytes()
