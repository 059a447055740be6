"""Histograms of send times: buckets, quantiles, and the port that fills them and keeps a rate."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.core.request import Recv, Send
from emu.noc.ports.meter import BUCKETS, STEPS, Meter, MeteredPort, bucket_of, upper_end
from emu.noc.ports.port import Port


@given(st.integers(0, 1 << 44))
def test_buckets_are_narrow(time_ns):
    bucket = bucket_of(time_ns)
    if bucket < BUCKETS - 1:
        assert time_ns <= upper_end(bucket) <= time_ns * (1 + 1 / STEPS)
        assert bucket == 0 or upper_end(bucket - 1) < time_ns


class Instant(Port):
    """Ends every request at once, or after `spend` seconds of waiting."""

    def __init__(self, spend=0.0):
        self.spend, self.began = spend, []

    def attach(self, events):
        self.events = events

    def begin(self, sample):
        self.sample = sample

    end = begin

    def start(self, request, sample):
        self.began.append(time.monotonic())
        return not self.spend

    def poll(self):
        return False

    def wait(self):
        time.sleep(self.spend)


def meter():
    return Meter(bytearray(Meter.size(3)), [2, 5, 7])


SEND, RECV = Send(1, memoryview(b"x")), Recv(1, memoryview(bytearray(1)))


def test_only_sends_are_measured_until_they_end():
    found = meter()
    port = MeteredPort(Instant(0.01), found.row(5))
    for request in (SEND, RECV, SEND):
        assert not port.start(request, 0) and not port.poll()
        port.wait()
    latency = found.latency()
    assert latency is not None and latency.count == 2
    assert 0.01 <= latency.p50 <= latency.p99 <= latency.largest


def test_quantiles_are_over_all_cores():
    found = meter()
    for core, spent, times in ((2, 1000, 98), (7, 1_000_000, 2)):
        found.row(core)[bucket_of(spent)] += times
        found.row(core)[BUCKETS] = spent
    latency = found.latency()
    assert latency is not None and (latency.count, latency.largest) == (100, 1e-3)
    assert latency.p50 == pytest.approx(1e-6, rel=1 / STEPS) and latency.p99 == pytest.approx(1e-3, rel=1 / STEPS)


def test_nothing_sent_is_no_latency():
    assert meter().latency() is None


def test_a_rate_is_kept_and_lateness_counts():
    found, instant = meter(), Instant()
    port = MeteredPort(instant, found.row(2), rate=200.0)
    for k in range(5):
        port.start(SEND, 0)
        if k == 1:
            time.sleep(0.012)  # sends 2 and 3 are late: they begin at once
    assert instant.began[-1] - instant.began[0] >= 0.02 - 1e-4
    latency = found.latency()
    assert latency is not None and latency.largest >= 0.002


def test_the_rest_is_the_port_itself():
    instant = Instant()
    port = MeteredPort(instant, meter().row(2))
    port.attach(3)
    port.begin(7)
    assert (instant.events, instant.sample) == (3, 7)
    port.end(8)
    assert instant.sample == 8
