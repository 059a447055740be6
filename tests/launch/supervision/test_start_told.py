"""How many cores have started is told as a number that never falls."""

from types import SimpleNamespace

from launch.supervision.supervisor import Supervisor


def test_an_idle_core_that_ends_early_has_started_all_the_same() -> None:
    told: list[tuple[int, int]] = []
    supervisor = object.__new__(Supervisor)
    there = iter([3, 19, 31, 19, 40])
    supervisor._host = SimpleNamespace(forked=lambda: next(there))
    supervisor._started, supervisor._forked = False, 0
    supervisor.tell_start(lambda done, total: told.append((done, total)), 32)
    for _ in range(5):
        supervisor._look_at_start()
    assert told == [(3, 32), (19, 32), (31, 32), (31, 32), (32, 32)]
