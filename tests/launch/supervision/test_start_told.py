"""The start of a run: how many cores have started never falls, and nothing that they say at once is lost."""

from types import SimpleNamespace

import pytest

from emu.errors import InputError
from launch.processes.orders import MEMORY_NODE, Event, Report
from launch.supervision.supervisor import Supervisor


def test_an_idle_core_that_ends_early_has_started_all_the_same() -> None:
    told: list[tuple[int, int]] = []
    supervisor = object.__new__(Supervisor)
    there = iter([4, 20, 32, 20, 41])  # with the memory node
    supervisor._machine = SimpleNamespace(forked=lambda: range(next(there)))
    supervisor._started, supervisor._forked = False, 0
    supervisor.tell_start(lambda done, total: told.append((done, total)), 32)
    for _ in range(5):
        supervisor._look_at_start()
    assert told == [(3, 32), (19, 32), (31, 32), (31, 32), (32, 32)]


def starting(*reports: Report) -> Supervisor:
    """A supervisor that gets all these reports at once, while it waits for the memory node."""
    supervisor = object.__new__(Supervisor)
    supervisor._machine = SimpleNamespace(
        reports=lambda: [Report(Event.BOUND, MEMORY_NODE, "ipc://x", process=7), *reports]
    )
    supervisor._ears = SimpleNamespace(poll=lambda milliseconds: True)
    supervisor._timeout, supervisor._early, supervisor._processes = 1.0, [], {}
    return supervisor


def test_an_error_that_comes_with_the_endpoint_is_raised() -> None:
    with pytest.raises(InputError, match="the log is a directory"):
        starting(Report(Event.ERROR, 0, "the log is a directory")).endpoint()


def test_a_trap_that_comes_with_the_endpoint_waits_for_the_start() -> None:
    supervisor = starting(trap := Report(Event.TRAP, 1))
    assert supervisor.endpoint() == "ipc://x"
    assert supervisor._early == [trap] and list(supervisor._processes.values()) == [7]
