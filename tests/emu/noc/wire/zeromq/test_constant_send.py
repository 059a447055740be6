"""Memory that is sent without a copy arrives whole; a library without the function sends a copy."""

import pytest
import zmq

import emu.noc.wire.zeromq.constant_send as module
from emu.noc.wire.library import LARGE
from emu.noc.wire.zeromq.constant_send import send_constant, sends_without_copy


@pytest.fixture
def pair():
    context = zmq.Context()
    receiver, sender = context.socket(zmq.PULL), context.socket(zmq.PUSH)
    port = receiver.bind_to_random_port("tcp://127.0.0.1")
    sender.connect(f"tcp://127.0.0.1:{port}")
    yield sender, receiver
    context.destroy(linger=0)


@pytest.mark.parametrize("found", [True, False])
@pytest.mark.parametrize("size", [0, 1, LARGE, 1 << 20])
@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_arrives_whole_from_any_address(pair, monkeypatch, found, size, kind):
    sender, receiver = pair
    if not found:
        monkeypatch.setattr(module, "SEND_CONST", None)
    data = kind(k * 7 % 251 for k in range(size + 3))
    sender.send(b"head", zmq.SNDMORE)
    send_constant(sender, memoryview(data)[3:])
    assert receiver.recv_multipart() == [b"head", data[3:]]


def test_the_library_of_this_machine_has_the_function(monkeypatch):
    """Fails with a pyzmq that keeps its library elsewhere: `constant_send.py` must learn the place then."""
    assert sends_without_copy()
    monkeypatch.setattr(module.importlib, "import_module", lambda name: module)
    assert module.find() is None


def test_errors_are_those_of_zeromq(pair):
    _, receiver = pair
    with pytest.raises(zmq.ZMQError) as error:
        send_constant(receiver, memoryview(b"a PULL socket cannot send"))
    assert error.value.errno == zmq.ENOTSUP
