"""Silence is counted only while its listener runs."""

from launch.machines.link.clock import MOST, ListeningClock


def test_time_in_which_a_process_was_stopped_does_not_count():
    times = iter([100.0, 100.5, 100.75, 160.75, 161.0])
    clock = ListeningClock(lambda: next(times))
    assert clock.look() == 0.5
    assert clock.look() == 0.75
    assert clock.look() == 0.75 + MOST
    assert clock.look() == 1.0 + MOST
