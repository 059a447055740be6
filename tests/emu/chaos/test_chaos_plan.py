"""Plans: open cores and moments come from the seed alone, and streams do not depend on other faults."""

from dataclasses import astuple

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_sets import ordered_messages
from stepper import program

from emu.chaos.fault import ALWAYS, EVERY, ChaosFault
from emu.chaos.kinds import Counted
from emu.chaos.plan import count, plan
from emu.chaos.port import fork_order
from emu.chaos.spec import Chaos
from emu.errors import InputError

ORDER = [(0, 1, 60), (1, 2, 1), (2, 3, 33), (3, 0, 61), (0, 2, 7)]
PROGRAMS = ordered_messages(4, ORDER)
EVERYTHING = ("delay:0.1,2", "pause:*,3", "kill", "drop", "drop-credit", "corrupt:random", "slow:random,2", "kill:2@7")


@given(st.integers(0, 1 << 40))
def test_a_plan_is_a_function_of_the_seed(seed):
    faults = plan(Chaos(EVERYTHING, seed), PROGRAMS)
    assert faults == plan(Chaos(EVERYTHING, seed), PROGRAMS)
    assert [ChaosFault.of(msgpack.unpackb(msgpack.packb(astuple(fault)))) for fault in faults] == faults
    for fault in faults:
        assert fault.core in {*PROGRAMS, EVERY} and fault.at >= ALWAYS
    by_kind = {fault.kind: fault for fault in faults}
    assert by_kind["drop"].at < count(PROGRAMS[by_kind["drop"].core], Counted.SENT)
    assert by_kind["drop-credit"].at < count(PROGRAMS[by_kind["drop-credit"].core], Counted.TAKEN)
    assert (faults[-1].core, faults[-1].at, faults[-1].ordinal) == (2, 7, 1)


def test_seeds_differ():
    plans = {tuple(plan(Chaos(("kill", "drop", "pause:*,3"), seed), PROGRAMS)[:3]) for seed in range(40)}
    assert len({(kill.core, kill.at) for kill, *_ in plans}) > 8


def test_streams_belong_to_seed_kind_and_core_alone():
    alone = plan(Chaos(("delay:0.1,2",), 5), PROGRAMS)[0]
    among = next(
        fault for fault in plan(Chaos(("yield:1", "kill", "delay:0.1,2"), 5), PROGRAMS) if fault.kind == "delay"
    )
    numbers = [[fault.stream(core).random() for core in range(3)] for fault in (alone, among)]
    assert numbers[0] == numbers[1] and len(set(numbers[0])) == 3
    assert ChaosFault("delay", EVERY, ALWAYS, (), 6).stream(0).random() != numbers[0][0]


def test_requests_are_counted_over_init_and_one_sample():
    looped = program(0, ("send", 1, 0, 4), ("recv", 1, 0, 4), ("st", 0, 0, 4), init=(("sync", 1, 3), ("lldi", 0, 1, 4)))
    assert [count(looped, counted) for counted in Counted] == [4, 1, 1]


def test_unknown_cores_and_cores_without_anything_to_lose():
    with pytest.raises(InputError, match=r"chaos kill:9@1: core 9 has no program: the cores that have are 0 to 3"):
        plan(Chaos(("kill:9@1",)), PROGRAMS)
    silent = {0: program(0, ("lldi", 0, 1, 4)), 1: program(1, ("st", 0, 0, 4))}
    with pytest.raises(InputError, match=r"chaos drop: no core has a program with messages that it sends"):
        plan(Chaos(("drop",)), silent)
    assert plan(Chaos(("kill",)), silent)[0].core == 1


def test_forks_are_shuffled_only_if_asked():
    cores = list(range(16))
    orders = [fork_order(plan(Chaos(("reorder-start",), seed), PROGRAMS), cores) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2] and sorted(orders[0]) == cores != orders[0]
    assert fork_order(plan(Chaos(("delay:1,1",)), PROGRAMS), cores) == cores
