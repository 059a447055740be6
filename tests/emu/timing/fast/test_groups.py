"""Which cores depend on each other in time."""

import pytest
from stepper import program
from timed_programs import network, setup

from emu.timing.fast.body import make_body
from emu.timing.fast.groups import groups_of

PROGRAMS = {
    0: program(0, ("send", 1, 0, 8)),
    1: program(1, ("recv", 0, 0, 8)),
    2: program(2, ("ld", 0, 0, 8)),
    3: program(3, ("wait", 0, 1)),
    4: program(4, ("sync", 3, 0)),
    5: program(5, ("st", 0, 0, 8)),
    6: program(6),
}


@pytest.mark.parametrize(
    ("changes", "links", "expected"),
    [
        ({"memory_ports": 1}, False, [[0, 1], [2, 5], [3, 4], [6]]),
        ({"memory_ports": 0}, False, [[0, 1], [2], [3, 4], [5], [6]]),
        ({"memory_ports": 0}, True, [[0, 1, 2, 3, 4, 5, 6]]),
    ],
)
def test_groups(changes, links, expected):
    known = setup(PROGRAMS, {}, network(contended=links), **changes)
    asks = {core: make_body(timed.sections["main"]).asks.values() for core, timed in known.cores.items()}
    assert groups_of(asks, known) == expected
