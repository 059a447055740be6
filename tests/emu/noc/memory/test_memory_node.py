"""The memory node without sockets: samples begin with their inputs and end when all cores are done."""

from dataclasses import dataclass

import pytest

from emu.noc.barrier.barrier import HOST, Barrier
from emu.noc.barrier.identity import identity_of
from emu.noc.memory.memory_node import MemoryNode
from emu.noc.memory.read_only import ReadOnlyMemory
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.watch.board import NODE, Board
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_control, decode_header, encode_control, encode_header


@dataclass
class Frame:
    bytes: bytes

    @property
    def buffer(self):
        return memoryview(self.bytes)


def name(core):
    return identity_of(b"t", core)


@pytest.fixture
def board():
    """Core 0 shares it with the node, core 1 does not."""
    board = Board(bytearray(Board.size(2)), [0, 1], elsewhere=[1])
    board.hang_bells()
    return board


@pytest.fixture
def node(board):
    barrier = Barrier(b"t", [0, 1], [])
    for core in (HOST, 0, 1):
        barrier.receive(name(core), FrameHeader(FrameKind.BIND, core), encode_control(["", []]))
    for core in (0, 1):
        barrier.receive(name(core), FrameHeader(FrameKind.READY, core), b"")
    assert barrier.open
    read_only = ReadOnlyMemory([("w", 32, memoryview(b"weights"))])
    return MemoryNode(64, [(8, 4), (20, 2)], SampleClock(board), barrier, read_only)


def tell(node, core, kind, sample=0, size=0, arg=0, *payload, identity=None):
    frames = [
        Frame(identity or name(core)),
        Frame(encode_header(kind, core, 1, sample, size, arg)),
        *map(Frame, payload),
    ]
    return [(reply[0], decode_header(reply[1]), *map(bytes, reply[2:])) for reply in node.receive(frames)]


def put(node, sample, *tiles):
    addresses = encode_control([address for address, _ in tiles])
    return tell(node, HOST, FrameKind.PUT, sample, 0, 0, addresses, *[data for _, data in tiles])


def done(node, board, core, sample, asks=0):
    board.row(core).idle(sample)
    return tell(node, core, FrameKind.DONE, sample, asks)


def test_a_sample_from_inputs_to_outputs(node, board):
    assert done(node, board, 0, -1) == []  # nothing to begin with yet
    assert put(node, 0, (0, b"abcd")) == [] and not board.row(0).may_begin(0)  # core 1 is still in `init`
    ((who, header),) = done(node, board, 1, -1, 1)
    assert (who, header.kind) == (name(1), FrameKind.BEGIN)
    assert board.row(0).may_begin(0) and not board.row(0).may_begin(1)
    ((_, header, data),) = tell(node, 0, FrameKind.LOAD, 0, 2, 1)
    assert (header.kind, header.size, data) == (FrameKind.LOADED, 2, b"bc")
    assert tell(node, 0, FrameKind.STORE, 0, 3, 9, b"xyz") == [] and board.row(0).acknowledged(NODE) == 1
    assert tell(node, 1, FrameKind.CAPTURE, 0, 2, 5, b"hi")[0][1].kind is FrameKind.STORED
    assert done(node, board, 0, 0) == []
    ((who, header, about, *blocks),) = done(node, board, 1, 0, 1)
    assert (who, header.kind, header.sample) == (name(HOST), FrameKind.RESULT, 0)
    assert decode_control(about) == [[[8, 1], [20, 2]], [[1, 5]], False]
    assert blocks == [b"\0xyz", b"\0\0", b"hi"]
    assert tell(node, 0, FrameKind.DONE, 0) == []  # a result goes out once


def test_one_message_may_complete_several_samples(node, board):
    for sample in range(3):
        put(node, sample, (0, bytes([sample])))
    for sample in range(3):
        board.row(1).idle(sample)  # without a message: somebody else's makes the node look
    board.row(0).idle(1)
    assert [header.sample for _, header, *_ in tell(node, 0, FrameKind.DONE, 1)] == [0, 1]
    assert [header.sample for _, header, *_ in done(node, board, 0, 2)] == [2]


def test_who_has_not_heard_of_the_start_hears_it_again(node):
    for kind, core in ((FrameKind.READY, 0), (FrameKind.BIND, HOST), (FrameKind.BIND, 1)):
        ((who, header),) = tell(node, core, kind)
        assert (who, header.kind) == (name(core), FrameKind.GO)
    assert (
        tell(node, 0, FrameKind.READY, identity=b"stranger") == tell(node, 1, FrameKind.READY, identity=name(0)) == []
    )


def test_samples_overlap_but_have_memories_of_their_own(node, board):
    for core in (0, 1):
        board.row(core).idle(-1)
    for sample in range(3):
        put(node, sample, (0, bytes([sample])))
    assert board.row(0).may_begin(2)
    for sample in (2, 0, 1):
        assert tell(node, 0, FrameKind.LOAD, sample, 1, 0)[0][2] == bytes([sample])


def test_samples_share_what_is_read_only(node, board):
    for core in (0, 1):
        board.row(core).idle(-1)
    for sample in range(3):
        put(node, sample, (30, bytes([sample] * 2)))
    for sample in (2, 0, 1):
        assert tell(node, 0, FrameKind.LOAD, sample, 7, 32)[0][2] == b"weights"
        assert tell(node, 1, FrameKind.LOAD, sample, 4, 30)[0][2] == bytes([sample] * 2) + b"we"
        ((_, header, payload),) = tell(node, 0, FrameKind.STORE, sample, 2, 31, b"xy")
        assert header.kind is FrameKind.FAULT
        assert decode_control(payload) == ["overwrites read-only tensor 'w', which ends at 0x0027", 32, 39]
        assert tell(node, 0, FrameKind.LOAD, sample, 1, 31)[0][2] == bytes([sample])  # nothing of it was stored


@pytest.mark.parametrize(
    ("kind", "sample", "size", "address", "reason"),
    [
        (FrameKind.LOAD, 0, 4, 62, "out of range"),
        (FrameKind.LOAD, 0, -1, 0, "out of range"),
        (FrameKind.LOAD, 0, 4, 40, "never written"),
        (FrameKind.LOAD, 1, 1, 0, "no sample"),
        (FrameKind.LOAD, -1, 1, 32, "no sample"),
        (FrameKind.STORE, -1, 1, 0, "no sample"),
        (FrameKind.STORE, 0, 1, 38, "overwrites read-only tensor 'w'"),
        (FrameKind.STORE, 0, 1, -1, "out of range"),
    ],
)
def test_requests_that_cannot_be_are_refused(node, kind, sample, size, address, reason):
    put(node, 0, (0, b"abcd"))
    ((who, header, payload),) = tell(node, 0, kind, sample, size, address, b"x")
    assert (who, header.kind) == (name(0), FrameKind.FAULT) and reason in decode_control(payload)[0]


def test_strangers_and_malformed_messages_are_ignored(node):
    put(node, 0, (0, b"abcd"))
    assert tell(node, 0, FrameKind.LOAD, 0, 1, 0, identity=b"stranger") == []
    assert tell(node, 1, FrameKind.LOAD, 0, 1, 0, identity=name(0)) == []  # not who it says
    assert tell(node, 0, FrameKind.GO) == []
    for frames in ([name(0)], [name(0), b"\xff" * 300], [name(0), b"\xff"]):
        assert node.receive([Frame(data) for data in frames]) == []
