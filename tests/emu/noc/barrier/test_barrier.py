"""The barrier: everybody learns the addresses it needs, all start together, and repetitions change nothing."""

import pytest

from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.barrier.identity import identity_of
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_control, decode_header, encode_control

TOKEN = b"secret"


def name(core):
    return identity_of(TOKEN, core)


def bind(barrier, core, peers=(), identity=None):
    payload = encode_control([f"ipc://c{core}", list(peers)])
    return barrier.receive(identity or name(core), FrameHeader(FrameKind.BIND, core), payload)


def ready(barrier, core):
    return barrier.receive(name(core), FrameHeader(FrameKind.READY, core), b"")


def test_all_learn_addresses_and_start_together():
    barrier = Barrier(TOKEN, networked=[0, 1, 2], idle=[7])
    assert not bind(barrier, 7) + bind(barrier, HOST) + bind(barrier, 0, [1, 2]) + bind(barrier, 2, [1])
    assert barrier.binding and set(barrier.missing) == {1}
    tables = {identity: decode_control(payload) for identity, _, payload in bind(barrier, 1)}
    assert tables == {
        name(0): [{1: "ipc://c1", 2: "ipc://c2"}, []],
        name(1): [{}, [0, 2]],
        name(2): [{1: "ipc://c1"}, [0]],
    }
    assert not ready(barrier, 0) + ready(barrier, 2) and not barrier.open
    assert not barrier.binding and set(barrier.missing) == {1}
    replies = ready(barrier, 1)
    assert barrier.open and {decode_header(frame).kind for _, frame in replies} == {FrameKind.GO}
    assert [identity for identity, _ in replies] == [name(core) for core in (HOST, 0, 1, 2, 7)]


def test_without_programs_all_start_at_once():
    barrier = Barrier(TOKEN, [], [3])
    bind(barrier, HOST)
    assert len(bind(barrier, 3)) == 2 and barrier.open


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xc1", encode_control(["ipc://c0"]), encode_control(["ipc://c0", ["1"]]), encode_control({"endpoint": ""})],
)
def test_malformed_binds_are_ignored(payload):
    barrier = Barrier(TOKEN, [0], [])
    bind(barrier, HOST)
    assert barrier.receive(name(0), FrameHeader(FrameKind.BIND, 0), payload) == [] and set(barrier.missing) == {0}
    assert len(bind(barrier, 0)) == 1


def test_nobody_takes_the_place_of_another():
    barrier = Barrier(TOKEN, [0, 1], [])
    bind(barrier, 0)
    for identity in (b"stranger", b"0", b"\x01" + bytes(16), identity_of(b"another run", 1), name(5), name(0)):
        assert bind(barrier, 1, identity=identity) == [] and 1 in barrier.missing
    assert barrier.core(name(5)) is None and barrier.core(name(0)) == 0


def test_names_are_of_one_member_of_one_run():
    names = {identity_of(token, core) for token in (b"a" * 32, b"b" * 32) for core in range(HOST, 2000)}
    assert len(names) == 2 * 2001 and {len(each) for each in names} == {17} and {each[0] for each in names} == {1}


def test_what_is_said_again_is_answered_again_and_changes_nothing():
    barrier = Barrier(TOKEN, [0, 1], [5])
    for _ in range(3):
        assert not bind(barrier, 0, [1]) + bind(barrier, HOST) + bind(barrier, 5) + ready(barrier, 0)
    tables = {identity: frames for identity, *frames in bind(barrier, 1)}
    for core, peers in ((1, []), (0, [1]), (1, [0])):  # whatever it says now, others have heard the first
        ((identity, *frames),) = bind(barrier, core, peers)
        assert identity == name(core) and frames == tables[identity]
    assert bind(barrier, 5) == bind(barrier, HOST) == []  # they wait for GO
    assert ready(barrier, 0) == ready(barrier, 0) == ready(barrier, 5) == [] and not barrier.open
    assert len(ready(barrier, 1)) == 4 and barrier.open
    for again, member in ((ready, 0), (ready, 1), (bind, 5), (bind, HOST)):
        ((identity, frame),) = again(barrier, member)
        assert identity == name(member) and decode_header(frame).kind is FrameKind.GO
