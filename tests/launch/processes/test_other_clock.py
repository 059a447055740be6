"""The clock of another machine, from beats: never more wrong than it says, whatever the delays, and it drifts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.machines.link.exchange import Exchange
from launch.processes.other_clock import MOST, WINDOW, OtherClock

SECOND = 1_000_000_000


class Clocks:
    """Two machines whose clocks differ by `ahead` ns, one of them `rate` too fast."""

    def __init__(self, ahead, rate=0.0):
        self.now, self.ahead, self.rate = SECOND, ahead, rate

    def here(self):
        return self.now

    def there(self):
        return self.now + self.ahead + round(self.now * self.rate)


def beats(clocks, here, there, delays):
    """Beats cross in both directions, each with its delay (ns)."""
    for down, up in delays:
        frame = here.beat()
        clocks.now += down
        there.hear(frame)
        clocks.now += SECOND // 2
        frame = there.beat()
        clocks.now += up
        here.hear(frame)


@given(
    st.integers(-SECOND // 2, 1 << 55),
    st.lists(st.tuples(st.integers(0, 10**8), st.integers(0, 10**8)), min_size=1, max_size=40),
)
def test_times_are_as_right_as_is_said(ahead, delays):
    clocks = Clocks(ahead)
    here, there = Exchange(monotonic=clocks.here), Exchange(monotonic=clocks.there)
    beats(clocks, here, there, delays)
    uncertainty = here.clock.uncertainty
    assert uncertainty is not None and uncertainty <= 2 * min(map(sum, delays)) + 1
    times = np.array([SECOND, 2 * SECOND, clocks.now, clocks.now + SECOND], np.int64)
    assert np.abs(here.clock.here(times + ahead) - times).max() <= uncertainty + 1


def test_drift_is_followed():
    clocks = Clocks(7 * SECOND, rate=1e-4)
    here, there = Exchange(monotonic=clocks.here), Exchange(monotonic=clocks.there)
    truth = []
    for _ in range(200):
        beats(clocks, here, there, [(20_000, 30_000)])
        truth.append((clocks.here(), clocks.there()))
    mine, others = np.array(truth[20:-20]).T
    assert np.abs(here.clock.here(others) - mine).max() <= here.clock.uncertainty + 1e-4 * SECOND


def test_long_runs_keep_few_moments():
    clock = OtherClock()
    for number in range(1, 5 * MOST):
        now = number * WINDOW
        clock.heard(now + 5, now - 10, 2, now)
    assert clock.uncertainty == 4 and clock.here(np.array([WINDOW + 5])).tolist() == [WINDOW - 4]


@pytest.mark.parametrize(
    "heard", [(5, 0, 0, 9), (5, 10, 0, 9), (5, 3, 8, 9), (1 << 63, 3, 0, 9), (-1, 3, 0, 9), (5, -30, 0, 9)]
)
def test_what_cannot_be_is_not_believed(heard):
    clock = OtherClock()
    clock.heard(*heard)
    assert clock.uncertainty is None
    assert clock.here(np.array([3])).tolist() == [3]
