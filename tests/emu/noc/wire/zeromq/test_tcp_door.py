"""The door of a run over TCP: shut, it lets nobody in, and looking for it takes no descriptor away."""

import os
import resource
import socket
import time
from pathlib import Path

import pytest
import zmq

from emu.noc.wire.zeromq.library import ZeroMq
from emu.noc.wire.zeromq.tcp_door import SPARE, TcpDoor


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
        door = TcpDoor(lambda: endpoint_of(listener))
        assert door.strangers
        door.shut()
        assert open_files() == before
    finally:
        for end in (end for pipe in pipes for end in pipe):
            os.close(end)
        for end in (end for pair in pairs for end in pair):
            end.close()


@pytest.fixture
def router():
    """A ROUTER that listens at a TCP port, its door, and its library, to which tests add peers."""
    library = ZeroMq()
    yield *library.listen("tcp://127.0.0.1:*", True, 1 << 16, ()), [library]
    library.context.destroy(linger=0)


def connections(endpoint: str, count: int) -> list[socket.socket]:
    """As many connections to `endpoint` that say nothing, or the first byte of a greeting."""
    found = [socket.create_connection(("127.0.0.1", int(endpoint.rpartition(":")[2])), 5) for _ in range(count)]
    for stranger in found[::2]:
        stranger.sendall(b"\xff")
    return found


def alive(strangers: list[socket.socket]) -> list[bool]:
    """Which have not been closed by the other end."""

    def open_still(stranger: socket.socket) -> bool:
        stranger.setblocking(False)
        try:
            while stranger.recv(64):
                pass
        except BlockingIOError:
            return True
        except ConnectionError:
            pass
        return False

    return [open_still(stranger) for stranger in strangers]


def wait_until(condition) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)


def guests(door: TcpDoor) -> int:
    return sum(1 for _ in door.guests())


def proven(router, endpoint, peers, door) -> zmq.Socket:
    """A peer that has said something, and so is none of the strangers."""
    peer = peers[0].connect(endpoint, b"\x01peer")
    peers.append(peer)
    peer.send(b"hello")
    identity, frame = router.recv_multipart(copy=False)
    assert identity.bytes == b"\x01peer"
    door.proved(frame)
    return peer


def test_strangers_are_as_many_as_peers_are_expected_and_some_more(router):
    inbox, door, peers = router
    endpoint = door.endpoint
    peer = proven(inbox, endpoint, peers, door)
    strangers = connections(endpoint, SPARE + 5)
    wait_until(lambda: guests(door) == SPARE + 5)
    door.turn_away(5, scarce=False)
    door.turn_away(None, scarce=False)
    assert all(alive(strangers)) and guests(door) == SPARE + 5
    later = connections(endpoint, 10)
    wait_until(lambda: guests(door) == SPARE + 15)
    door.turn_away(5, scarce=False)
    wait_until(lambda: guests(door) == SPARE + 5)
    assert sum(alive(strangers)) == SPARE - 5 and all(alive(later)), "the oldest go first"
    peer.send(b"again")
    assert inbox.recv_multipart() == [b"\x01peer", b"again"]
    for stranger in strangers + later:
        stranger.close()


def test_where_files_are_scarce_all_go_that_were_there_before(router):
    inbox, door, peers = router
    endpoint = door.endpoint
    peer = proven(inbox, endpoint, peers, door)
    strangers = connections(endpoint, 3)
    wait_until(lambda: guests(door) == 3)
    door.turn_away(5, scarce=True)
    assert all(alive(strangers))
    later = connections(endpoint, 2)
    wait_until(lambda: guests(door) == 5)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = 1 + max(map(int, open_files()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (taken, hard))  # in fact: there is no file left to look with
    held = []
    try:
        with pytest.raises(OSError, match="Too many open files"):
            while True:
                held.append(os.dup(0))
        door.turn_away(5, scarce=True)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for number in held:
            os.close(number)
    wait_until(lambda: guests(door) == 2)
    assert not any(alive(strangers)) and all(alive(later))
    peer.send(b"again")
    assert inbox.recv_multipart()[1] == b"again"
    for stranger in strangers + later:
        stranger.close()


def test_who_takes_all_files_as_soon_as_it_listens_is_turned_away(listener):
    taken = []

    def listen():
        while True:
            try:
                taken.append(os.dup(0))
            except OSError:
                return endpoint_of(listener)

    with socket.create_connection(listener.getsockname()) as stranger, listener.accept()[0]:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (2 + max(map(int, open_files())), hard))
        try:
            door = TcpDoor(listen)
            for _ in range(2):
                door.turn_away(0, scarce=True)
            wait_until(lambda: alive([stranger]) == [False])
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for number in taken:
                os.close(number)
            door.shut()


def test_nobody_comes_in_once_it_is_shut_strangers_go_and_peers_stay(router):
    inbox, door, peers = router
    endpoint = door.endpoint
    peer = proven(inbox, endpoint, peers, door)
    strangers = connections(endpoint, 4)
    wait_until(lambda: guests(door) == 4)
    with socket.create_server(("127.0.0.1", 0)) as other:
        before = open_files()
        door.shut()
        with pytest.raises(TimeoutError):
            socket.create_connection(("127.0.0.1", int(endpoint.rpartition(":")[2])), 0.2)
        socket.create_connection(other.getsockname(), 5).close()
        wait_until(lambda: not any(alive(strangers)))
        wait_until(lambda: len(open_files() & before) == len(before) - 5)  # of strangers, and of the door
    peer.send(b"again")
    assert inbox.recv_multipart() == [b"\x01peer", b"again"]
    inbox.send_multipart([b"\x01peer", b"yes"])
    assert peer.recv() == b"yes"
    for stranger in strangers:
        stranger.close()


def test_what_has_no_port_stays_as_it_is():
    door = TcpDoor(lambda: "ipc:///run/somewhere/c0")
    assert not door.strangers
    door.shut()
