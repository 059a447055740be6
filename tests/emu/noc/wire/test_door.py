"""The door of a run over TCP: shut, it lets nobody in, and looking for it takes no descriptor away."""

import os
import socket
from pathlib import Path

import pytest

from emu.noc.wire.door import shut


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def endpoint_of(listener) -> str:
    return f"tcp://127.0.0.1:{listener.getsockname()[1]}"


def open_files() -> set[str]:
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


def test_shutting_keeps_no_descriptor_whatever_is_open(listener):
    pipes = [os.pipe() for _ in range(10)]
    pairs = [socket.socketpair() for _ in range(3)]
    try:
        before = open_files()
        shut(endpoint_of(listener))
        assert open_files() == before
    finally:
        for end in (end for pipe in pipes for end in pipe):
            os.close(end)
        for end in (end for pair in pairs for end in pair):
            end.close()


def test_nobody_comes_in_once_it_is_shut_and_others_stay(listener):
    with socket.create_server(("127.0.0.1", 0)) as other, socket.create_connection(listener.getsockname()) as guest:
        host, _ = listener.accept()
        shut(endpoint_of(listener))
        with pytest.raises(TimeoutError):
            socket.create_connection(listener.getsockname(), 0.2)
        with host:
            guest.sendall(b"still here")
            assert host.recv(16) == b"still here"
        socket.create_connection(other.getsockname(), 5).close()


def test_what_has_no_port_stays_as_it_is():
    shut("ipc:///run/somewhere/c0")
