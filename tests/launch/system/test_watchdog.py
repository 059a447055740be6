"""The watchdog: an exception in time, in any thread, and never after its context."""

import threading
import time

import pytest

from launch.system.watchdog import Watchdog


class TooLong(Exception):
    pass


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def started_since(before: set[threading.Thread]) -> set[threading.Thread]:
    """What runs and did not before. Others may end at any time: a number of threads says nothing."""
    return set(threading.enumerate()) - before


def test_a_computation_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(TooLong), Watchdog(0.05, TooLong):
        spin(30)
    assert time.monotonic() - began < 10


def test_other_threads_are_ended_too() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            with Watchdog(0.05, TooLong):
                spin(30)
        except TooLong as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert len(caught) == 1


@pytest.mark.parametrize("seconds", [None, 0.02])
def test_nothing_comes_after_the_context(seconds: float | None) -> None:
    before, watchdog = set(threading.enumerate()), Watchdog(seconds, TooLong)
    with watchdog:
        pass
    spin(0.05)
    for _ in range(2):
        watchdog.close()
        assert not started_since(before)


def test_it_is_entered_again_and_watched_by_one_thread() -> None:
    watchdog, before = Watchdog(0.2, TooLong), set(threading.enumerate())
    for _ in range(40):
        with watchdog:
            spin(0.01)  # twice as long as it may take, together
        assert len(started_since(before)) == 1
    began = time.monotonic()
    with pytest.raises(TooLong), watchdog:
        spin(30)
    assert 0.2 <= time.monotonic() - began < 10
    with watchdog:  # it goes on
        spin(0.01)
    watchdog.close()


def test_one_that_is_forgotten_ends() -> None:
    before, watchdog = set(threading.enumerate()), Watchdog(0.02, TooLong)
    with watchdog:
        pass
    del watchdog
    ended = time.monotonic() + 10
    while started_since(before) and time.monotonic() < ended:
        time.sleep(0.01)
    assert not started_since(before)


def test_the_end_may_come_at_the_same_time() -> None:
    watchdog = Watchdog(0.001, TooLong)
    for k in range(100):
        try:
            with watchdog:
                spin(0.0008 + k * 4e-6)
        except TooLong:
            pass
        spin(0.0005)  # outside of the context: whatever came late would fail the test
    watchdog.close()
