"""A device that serves hosts: what they send is checked, one is served at a time, and what they held is free again."""

import os
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest
from device_hosts import served
from frame_host import NUMBERS, PATIENCE, FrameHost
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from run_processes import wait_for

from launch.devices.board import BACKENDS
from launch.devices.failures import BoardFailed
from launch.devices.wire import MATRICES, TYPES, DeviceFrame, DeviceFrameKind
from launch.supervision.errors import CoreDied

RNG = np.random.default_rng(7)
EYE = np.eye(4, dtype=np.int32)
HELD_OPEN = """
import socket, sys, time
host = socket.socket(socket.AF_UNIX)
host.connect(sys.argv[1])
host.sendall(bytes.fromhex(sys.argv[2]))
print("sent", flush=True)
time.sleep(60)
"""


def numbers(*shape, kind="i4"):
    return RNG.integers(-100, 100, shape).astype(kind)


@pytest.mark.parametrize("backend", ["numpy", "sequential", "processes"])
def test_products_come_with_the_barrier_in_their_order(tmp_path, backend):
    matrix, vectors, start = numbers(20, 12), numbers(3, 20), numbers(3, 12)
    with served(tmp_path, backend) as one, FrameHost(one.path) as host:
        host.write(5, matrix, "i32")
        assert host.results("i32") == []
        host.multiply(5, vectors, "i32", 12)
        host.multiply(5, vectors[:1], "i32", 12, start[:1])
        host.multiply(5, vectors[:0], "i32", 12)
        host.barrier(5)
        first, second, third = host.results("i32")
        assert np.array_equal(first.reshape(3, 12), vectors @ matrix)
        assert np.array_equal(second, (vectors @ matrix + start)[0])
        assert third.size == 0
        host.barrier(5)
        assert host.results("i32") == []


@pytest.mark.parametrize("kind", ["i8", "i16", "i32", "i64", "f32"])
def test_results_have_the_type_of_the_operands(tmp_path, kind):
    dtype = TYPES[NUMBERS[kind]][1]
    matrix, vectors = numbers(8, 8, kind=dtype), numbers(2, 8, kind=dtype)
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.write(0, matrix, kind)
        assert host.results(kind) == []
        host.multiply(0, vectors, kind, 8)
        host.barrier(0)
        (result,) = host.results(kind)
        assert np.array_equal(result.reshape(2, 8), (vectors.astype("i8") @ matrix.astype("i8")).astype(dtype))


def test_a_type_that_crossbars_do_not_hold_is_named_and_the_session_goes_on(tmp_path):
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.write(0, np.ones((4, 4)), "f64")
        assert host.refusal().startswith("crossbars hold no f64: use one of f32")
        host.write(0, EYE, "i32")
        assert host.results("i32") == []


def test_a_write_of_another_size_or_type_takes_other_crossbars(tmp_path):
    with served(tmp_path, cores=1) as one, FrameHost(one.path) as host:
        for shape, kind in (((16, 16), "i32"), ((64, 16), "i32"), ((64, 16), "f32"), ((16, 64), "i8")):
            host.write(1, np.ones(shape, TYPES[NUMBERS[kind]][1]), kind)
            assert host.results(kind) == []
        assert one.free == [0] and len(one.chip.crossbars) == 4
        host.write(2, EYE, "i32")
        assert "no core has 1 crossbar free" in host.refusal()
        host.send(DeviceFrame(DeviceFrameKind.RELEASE, key=1))
        assert host.results("i32") == [] and one.free == [4]


def test_products_that_are_open_are_of_what_stood_there(tmp_path):
    vector = numbers(1, 4)
    with served(tmp_path, "processes") as one, FrameHost(one.path) as host:
        host.write(0, EYE, "i32")
        host.multiply(0, vector, "i32", 4)
        host.write(0, 2 * EYE, "i32")
        host.multiply(0, vector, "i32", 4)
        host.write(0, np.ones((4, 2), np.int32), "i32")
        host.multiply(0, vector, "i32", 2)
        for _ in range(3):
            assert host.results("i32") == []
        host.barrier(0)
        results = host.results("i32")
        assert [list(each) for each in results] == [list(vector[0]), list(2 * vector[0]), [vector.sum()] * 2]


@pytest.mark.parametrize(
    ("cols", "width", "kind", "key", "said"),
    [
        (4, 4, "i32", 9, "a product with crossbar 9 of the host comes before its matrix"),
        (4, 4, "i32", MATRICES, "a product with matrix 0 of the host comes before"),
        (3, 4, "i32", 0, "crossbar 0 of the host holds 4 x 4 i32, and is given vectors of 3 i32 for results of 4"),
        (4, 5, "i32", 0, "for results of 5"),
        (4, 4, "f32", 0, "given vectors of 4 f32"),
    ],
)
def test_what_is_wrong_with_a_product_is_told_by_its_barrier(tmp_path, cols, width, kind, key, said):
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
        host.multiply(key, np.ones((2, cols), f"{kind[0]}4"), kind, width)
        host.multiply(key, numbers(2, 4), "i32", 4)
        host.barrier(key)
        assert said in host.refusal()
        host.multiply(0, EYE, "i32", 4)
        host.barrier(0)
        assert len(host.results("i32")) == 1  # what has failed is over


def test_sizes_that_no_device_has_are_refused_before_there_is_room_for_them(tmp_path):
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.send(DeviceFrame(DeviceFrameKind.WRITE, NUMBERS["i8"], 0, 0, 2**31, 1, 0, 2**31))
        for _ in range(2**11):
            host.socket.sendall(bytes(2**20))
        assert "a matrix of 2147483648 x 1 for crossbar 0 of the host is larger than a core of tiny" in host.refusal()
        host.send(DeviceFrame(DeviceFrameKind.WRITE, NUMBERS["i8"], 0, 0, 2**31, 2**20, 0, 2**51))
        assert "brings 2251799813685248 bytes, more than any device takes; the device hangs up" in host.refusal()
        assert host.hung_up()


def test_a_second_host_is_sent_away_at_once(tmp_path):
    with served(tmp_path, "processes") as one, FrameHost(one.path) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
        (core,) = {pid for name, pid in one.chip.processes.items() if name.startswith("core 0")}
        os.kill(core, signal.SIGSTOP)  # the device is busy, and waits
        try:
            host.write(0, EYE, "i32")
            for _ in range(3):
                with FrameHost(one.path, greeted=False) as second:
                    assert second.refusal().startswith("the device serves another host program: one at a time")
                    assert second.hung_up()
        finally:
            os.kill(core, signal.SIGCONT)
        assert host.results("i32") == []
        host.multiply(0, EYE, "i32", 4)
        host.barrier(0)
        assert np.array_equal(host.results("i32")[0].reshape(4, 4), EYE)


def test_the_next_host_begins_with_a_free_device(tmp_path):
    with served(tmp_path, "processes", cores=1) as one:
        for _ in range(20):  # nobody has to wait until the device has noticed that the last one is gone
            with FrameHost(one.path) as host:
                host.write(0, numbers(64, 16), "i32")
                assert host.results("i32") == []
                host.multiply(0, numbers(50, 64), "i32", 16)  # left open
        wait_for(lambda: one.free == [4])
        with FrameHost(one.path) as host:
            host.multiply(0, numbers(50, 64), "i32", 16)
            host.barrier(0)
            assert "comes before its matrix" in host.refusal()


@pytest.mark.parametrize("sent", [0, 39, 40, 40 + 4096, 40 + 4096 + 40 + 7])
def test_a_host_that_is_killed_in_the_middle_frees_its_crossbars(tmp_path, sent):
    matrix = numbers(64, 16)
    write = (
        DeviceFrame(DeviceFrameKind.WRITE, NUMBERS["i32"], 0, 0, 64, 16, 0, matrix.nbytes).packed() + matrix.tobytes()
    )
    multiply = DeviceFrame(DeviceFrameKind.MULTIPLY, NUMBERS["i32"], 0, 0, 8, 64, 16, 2048).packed() + bytes(2048)
    content = (write + multiply)[:sent].hex()
    with served(tmp_path, "processes", cores=1) as one:
        with subprocess.Popen(
            [sys.executable, "-c", HELD_OPEN, str(one.path), content], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout.readline() == b"sent\n"
            if sent > 40 + 4096:
                wait_for(lambda: one.free == [0])
            process.kill()
        with FrameHost(one.path) as host:
            host.write(0, matrix, "i32")
            assert host.results("i32") == [] and one.free == [0]
        wait_for(lambda: one.free == [4])


JUNK = st.one_of(
    st.binary(max_size=100),
    st.builds(
        lambda *fields: DeviceFrame(*fields).packed(),
        st.sampled_from(DeviceFrameKind),
        st.integers(0, 7),
        st.integers(0, 2),
        st.sampled_from([0, 1, 2**32 - 1, MATRICES]),
        *[st.sampled_from([0, 1, 4, 16, 17, 2**16, 2**31, 2**32 - 1])] * 3,
        st.sampled_from([0, 1, 16, 64, 2**32, 2**63]),
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(JUNK, min_size=1, max_size=5), st.booleans())
def test_whatever_a_host_sends_the_next_one_is_served(shared, contents, good_before):
    with FrameHost(shared.path) as host:
        if good_before:
            host.write(0, EYE, "i32")
            assert host.results("i32") == []
        for content in contents:
            try:
                host.socket.sendall(content)
            except ConnectionError:
                break
    with FrameHost(shared.path) as host:
        host.write(0, EYE, "i32")
        host.multiply(0, EYE, "i32", 4)
        assert host.results("i32") == []
        host.barrier(0)
        assert np.array_equal(host.results("i32")[0].reshape(4, 4), EYE)


@pytest.fixture
def shared(tmp_path):
    with served(tmp_path, "numpy") as one:
        yield one


def test_no_frame_is_answered_and_ends_the_connection(shared):
    with FrameHost(shared.path) as host:
        host.socket.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n\r\n\r\n")
        assert "begins with b'GET ', and has to begin with b'EMUD'; the device hangs up" in host.refusal()
        assert host.hung_up()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(1, 16), st.integers(1, 16), st.integers(0, 3), st.booleans()),
        max_size=12,
    )
)
def test_any_session_is_that_of_numpy(shared, steps):
    matrices, wanted = {}, {}
    with FrameHost(shared.path) as host:
        for key, rows, cols, count, writes in steps:
            if writes or key not in matrices:
                matrices[key] = numbers(rows, cols)
                host.write(key, matrices[key], "i32")
                assert host.results("i32") == []
            matrix = matrices[key]
            vectors, start = numbers(count, matrix.shape[0]), numbers(count, matrix.shape[1])
            host.multiply(key, vectors, "i32", matrix.shape[1], start)
            wanted.setdefault(key, []).append((vectors @ matrix + start).reshape(-1))
        for key, results in wanted.items():
            host.barrier(key)
            found = host.results("i32")
            assert len(found) == len(results) and all(map(np.array_equal, found, results))


def test_a_host_may_not_leave_more_open_than_there_is_room_for(shared, monkeypatch):
    monkeypatch.setattr("launch.devices.host_session.MOST_OPEN", 200)
    monkeypatch.setattr("launch.devices.host_session.MOST_PRODUCTS", 5)
    with FrameHost(shared.path) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
        for _ in range(2):
            host.multiply(0, EYE, "i32", 4)
        host.barrier(0)
        assert "with this product of crossbar 0 of the host more than 200 bytes wait" in host.refusal()
        for _ in range(6):
            host.multiply(0, EYE[:1], "i32", 4)
        assert "more than 5 products wait for a barrier; the device hangs up" in host.refusal()


def test_a_core_that_dies_is_told_and_ends_the_server(tmp_path):
    with served(tmp_path, "processes", cores=1) as one, FrameHost(one.path) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
        (core,) = one.chip.processes.values()
        os.kill(core, signal.SIGKILL)
        host.multiply(0, EYE, "i32", 4)
        host.barrier(0)
        operation, code, text = host.answer()
        assert (operation, code) == (DeviceFrameKind.ERROR, 5)
        assert b"core 0 of the device" in text and b"SIGKILL" in text
        assert host.hung_up()
        one.thread.join(PATIENCE)
        assert isinstance(one.error, CoreDied)


class Liar:
    """A board that answers with nothing."""

    def __init__(self, arch, core):
        pass

    def acquire(self, group, spec):
        pass

    write = multiply = release = lambda self, *given: None


def test_a_board_that_fails_is_told_and_ends_the_server(tmp_path, monkeypatch):
    monkeypatch.setitem(BACKENDS, "liar", (f"{__name__}:Liar", False))
    with served(tmp_path, "liar") as one, FrameHost(one.path) as host:
        host.write(0, EYE, "i32")
        assert host.results("i32") == []
        host.multiply(0, EYE, "i32", 4)
        operation, code, text = host.answer()
        assert (operation, code) == (DeviceFrameKind.ERROR, 3) and b"NoneType" in text
        one.thread.join(PATIENCE)
        assert isinstance(one.error, BoardFailed)


def test_a_host_that_does_not_read_holds_nobody_up_at_the_end(tmp_path):
    vectors = np.ones((2000, 16), np.int32)
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.write(0, numbers(16, 16), "i32")
        assert host.results("i32") == []
        for _ in range(20):
            host.multiply(0, vectors, "i32", 16)
        host.barrier(0)  # 2.5 MB that nobody takes
        time.sleep(0.2)
        began = time.monotonic()
    assert time.monotonic() - began < 5


def test_a_host_without_a_greeting_is_no_host(tmp_path):
    with served(tmp_path) as one, socket.socket(socket.AF_UNIX) as first:
        first.connect(str(one.path))
        assert first.recv(40)[5] == DeviceFrameKind.DONE
        with FrameHost(one.path, greeted=False) as second:
            assert "one at a time" in second.refusal()


def test_starts_are_added(tmp_path):
    with served(tmp_path) as one, FrameHost(one.path) as host:
        host.write(0, np.eye(4, dtype="f4"), "f32")
        assert host.results("f32") == []
        host.multiply(0, np.ones((1, 4), "f4"), "f32", 4, np.arange(4, dtype="f4")[None])
        host.barrier(0)
        assert list(host.results("f32")[0]) == [1, 2, 3, 4]
