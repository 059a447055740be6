"""The barrier: everybody learns the addresses it needs, and starts when all are ready."""

import pytest

from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.wire.frames import Header, Kind, decode_control, decode_header, encode_control

TOKEN = b"secret"


def bind(barrier, core, peers=(), token=TOKEN, identity=None):
    payload = encode_control([token, f"ipc://c{core}", list(peers)])
    return barrier.receive(identity or b"id%d" % core, Header(Kind.BIND, core), payload)


def ready(barrier, core):
    return barrier.receive(b"id%d" % core, Header(Kind.READY, core), b"")


def test_all_learn_addresses_and_start_together():
    barrier = Barrier(TOKEN, networked=[0, 1, 2], idle=[7])
    assert not bind(barrier, 7) + bind(barrier, HOST) + bind(barrier, 0, [1, 2]) + bind(barrier, 2, [1])
    tables = {identity: decode_control(payload) for identity, _, payload in bind(barrier, 1)}
    assert tables == {
        b"id0": [{1: "ipc://c1", 2: "ipc://c2"}, []],
        b"id1": [{}, [0, 2]],
        b"id2": [{1: "ipc://c1"}, [0]],
    }
    assert not ready(barrier, 0) + ready(barrier, 2) and not barrier.open
    replies = ready(barrier, 1)
    assert barrier.open and {decode_header(frame).kind for _, frame in replies} == {Kind.GO}
    assert [identity for identity, _ in replies] == [b"id-1", b"id0", b"id1", b"id2", b"id7"]


def test_without_programs_all_start_at_once():
    barrier = Barrier(TOKEN, [], [3])
    bind(barrier, HOST)
    assert len(bind(barrier, 3)) == 2 and barrier.open


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        encode_control([b"wrong", "ipc://c0", []]),
        encode_control(["secret", "ipc://c0", []]),
        encode_control([TOKEN, "ipc://c0", ["1"]]),
        encode_control([TOKEN, "ipc://c0"]),
        encode_control({"token": TOKEN}),
    ],
)
def test_malformed_or_foreign_binds_are_ignored(payload):
    barrier = Barrier(TOKEN, [0], [])
    bind(barrier, HOST)
    assert barrier.receive(b"x", Header(Kind.BIND, 0), payload) == [] and barrier.core(b"x") is None
    assert len(bind(barrier, 0)) == 1


def test_nobody_takes_the_place_of_another():
    barrier = Barrier(TOKEN, [0, 1], [])
    bind(barrier, 0, identity=b"first")
    bind(barrier, 0, identity=b"second")
    bind(barrier, 5)
    assert barrier.identity(0) == b"first" and barrier.core(b"second") is None and barrier.core(b"id5") is None
    assert barrier.receive(b"second", Header(Kind.READY, 0), b"") == []
