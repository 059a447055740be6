"""Who has a launcher's key, and was not let in: whatever it says, nobody hears it, and it is told why."""

import secrets
import time

import msgpack
import pytest
from agents import PATIENCE, linked

from emu.noc.wire.zeromq.library import ZeroMq
from launch.machines.link.messages import Beat, Message, decode_frame, encode_beat, encode_message
from launch.machines.listening import AgentListener

HELLO = {"rank": 0, "name": "h0", "facts": {}}
FRAMES = {
    "a word": encode_message(Message(1, "LEFT", {"sentence": "good bye"})),
    "a later word": encode_message(Message(7, "REPORT", {"run": 1, "report": {}})),
    "an answer": encode_message(Message(1, "ANSWER", {"number": 1, "answer": 1})),
    "a greeting without a secret": encode_message(Message(1, "HELLO", HELLO)),
    "a greeting with another secret": encode_message(Message(1, "HELLO", {**HELLO, "secret": "0" * 64})),
    "a secret of another kind": encode_message(Message(1, "HELLO", {**HELLO, "secret": [1]})),
    "a beat": encode_beat(Beat(1 << 60, 1 << 60, 1 << 60, 1 << 60)),
    "no frame": b"\xc1" * 100,
    "a deep one": b"\x91" * 5000,
    "a long one that is not there": b"\xdd\xff\xff\xff\xff",
    "a map of no names": msgpack.packb([1, "HELLO", {1: 2}]),
    "nothing": b"",
}


@pytest.fixture
def listener():
    with AgentListener() as made:
        yield made


def said_to(listener, *frames, secret=""):
    """What a launcher answers who knows its key, and says these frames."""
    made = ZeroMq()
    keys = made.guest_keys(listener.bootstrap.server_key.encode())
    socket = made.connect(listener.bootstrap.address, secrets.token_bytes(16), keys)
    try:
        for frame in frames:
            socket.send(frame)
        answers, until = [], time.monotonic() + PATIENCE
        while time.monotonic() < until and not any(isinstance(answer, Message) for answer in answers):
            if not socket.poll(300):
                break
            answers += [decode_frame(frame) for frame in socket.recv_multipart()]
        return answers
    finally:
        socket.close()
        made.close()


def test_strangers_are_not_heard(listener):
    with linked(listener) as (handle, joined):
        heard = []
        for kind in ("LEFT", "REPORT", "WORD"):
            handle.on(kind, lambda **values: heard.append(values))
        for frame in FRAMES.values():
            for answer in said_to(listener, frame, frame):
                assert isinstance(answer, Beat) or answer.kind == "UNWELCOME"
        handle.pump()
        assert heard == [] and not handle.gone
        joined.end.send("WORD", number=1)
        until = time.monotonic() + PATIENCE
        while not heard and time.monotonic() < until:
            handle.wait(0.05)
            handle.pump()
        assert heard == [{"number": 1}]


def test_a_greeting_that_is_said_again_by_another_is_refused(listener):
    with linked(listener) as (handle, joined):
        values = {"secret": listener.bootstrap.secret, "rank": 0, "name": "h0", "facts": handle.facts.to_dict()}
        again = Message(1, "HELLO", values)
        word = encode_message(Message(2, "LEFT", {"sentence": "good bye"}))
        *_, answer = said_to(listener, encode_message(again), word)
        assert answer.kind == "UNWELCOME" and "there is one already" in answer.values["sentence"]
        handle.pump()
        assert not handle.gone and not joined.end.lost
