"""Messages of a link arrive once and in order, whatever happens to frames, as long as something comes through."""

from collections import deque

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.machines.link.exchange import Exchange, Heard
from launch.machines.link.messages import Beat, Message, decode_frame, encode_beat, encode_message


class Wire:
    """Two ends and the frames between them, each way in order until a connection is cut."""

    def __init__(self, asked: int = 0) -> None:
        self.ends = (Exchange(asked), Exchange())
        self.ways: tuple[deque[bytes], deque[bytes]] = (deque(), deque())  # to end 0, to end 1
        self.heard: tuple[list[int], list[int]] = ([], [])

    def say(self, end: int, value: int) -> None:
        """End `end` says a message."""
        self.ways[1 - end].append(self.ends[end].say("WORD", {"value": value}))

    def beat(self, end: int) -> None:
        """End `end` beats."""
        self.ways[1 - end].append(self.ends[end].beat())

    def take(self, end: int) -> None:
        """End `end` takes the next frame."""
        if self.ways[end]:
            heard = self.ends[end].hear(self.ways[end].popleft())
            self.ways[1 - end].extend(heard.answers)
            if heard.message is not None:
                self.heard[end].append(heard.message.values["value"])

    def settle(self) -> int:
        """Beats and deliveries until nothing moves: the frames that it took."""
        frames = 0
        for _ in range(4):
            self.beat(0)
            self.beat(1)
            while self.ways[0] or self.ways[1]:
                self.take(0)
                self.take(1)
                frames += 2
        return frames


STEP = st.tuples(st.sampled_from(("say", "beat", "take", "drop", "cut", "twice")), st.integers(0, 1))


@given(st.lists(STEP, max_size=120), st.integers(0, 1))
def test_each_message_arrives_once_and_in_order(steps, asked):
    wire, said = Wire(asked), ([], [])
    for number, (step, end) in enumerate(steps):
        way = wire.ways[end]
        if step == "say":
            said[end].append(number)
            wire.say(end, number)
        elif step == "beat":
            wire.beat(end)
        elif step == "take":
            wire.take(end)
        elif step == "drop" and way:
            del way[number % len(way)]
        elif step == "twice" and way:
            way.append(way[number % len(way)])
        elif step == "cut":  # a connection ends: what is on its way is lost, either way
            wire.ways[0].clear()
            wire.ways[1].clear()
        for one in (0, 1):
            assert wire.heard[one] == said[1 - one][: len(wire.heard[one])]
    wire.settle()
    assert wire.heard == (said[1], said[0])
    assert all(end.settled for end in wire.ends)


def test_what_was_asked_for_is_sent_again_once():
    wire = Wire()
    for value in range(1000):
        wire.say(0, value)
    wire.ways[1].clear()
    assert wire.settle() < 4 * 1000
    assert wire.heard[1] == list(range(1000))


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        b"\x93",
        msgpack.packb([1, "WORD"]),
        msgpack.packb([-1, "WORD", {}]),
        msgpack.packb([1, 2, {}]),
        msgpack.packb([1, "WORD", {3: 4}]),
        msgpack.packb([0, 1, -1, 0, 0]),
        msgpack.packb({"kind": "WORD"}),
        msgpack.packb([1, "WORD", {"value": 1}]) + b"\0",
        b"\xdd\xff\xff\xff\xff",  # an array of 4294967295 elements
        b"\xc6\xff\xff\xff\xff",  # and so many bytes
        b"\x93\x01\xa4WORD\x81\x90\x01",  # a key that is a list
        b"\x93\x01\xa4WORD\x81\x80\x01",  # and one that is a dictionary
        b"\x91" * 100_000,  # too deep
    ],
)
def test_a_damaged_frame_counts_as_lost(frame):
    assert decode_frame(frame) is None
    assert Exchange().hear(frame) == Heard()


HEADS = st.sampled_from([bytes([head]) for head in (0x80, 0x81, 0x90, 0x91, 0x93, 0xC1, 0xC7, 0xD6, 0xDD, 0xDF, 0xFF)])


@given(st.one_of(st.binary(max_size=40), st.lists(HEADS | st.binary(max_size=2), max_size=20).map(b"".join)))
def test_no_bytes_do_harm(frame):
    decode_frame(frame)


@given(
    st.integers(1, 2**63), st.text(), st.dictionaries(st.text(), st.integers(-(2**63), 2**63) | st.binary() | st.none())
)
def test_frames_hold_what_was_put_in(number, kind, values):
    message = Message(number, kind, values)
    assert decode_frame(encode_message(message)) == message
    strange = Message(number, kind, {"path": "folder\udcff"})
    assert decode_frame(encode_message(strange)) == strange
    beat = Beat(number, 0, 3, 2)
    assert decode_frame(encode_beat(beat)) == beat
