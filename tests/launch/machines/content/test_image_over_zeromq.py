"""Messages about images are plain values: they go through msgpack and ZeroMQ to several hosts at once."""

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgpack
import pytest
import zmq
from image_links import content, written

from launch.machines.content.receiver import ImageReceiver
from launch.machines.content.sender import ImageSender
from launch.machines.content.store import ContentStore

HOSTS = 4
PATIENCE = 20_000  # milliseconds


def say(socket: zmq.Socket, kind: str, **values: object) -> None:
    socket.send(msgpack.packb([kind, values]))


@pytest.mark.parametrize("size", [600_000, pytest.param(25 << 20, marks=pytest.mark.full)])
def test_several_hosts_at_once(tmp_path: Path, size: int) -> None:
    with ExitStack() as stack:
        context = stack.enter_context(zmq.Context())
        ends: dict[zmq.Socket, ImageSender | ImageReceiver] = {}
        senders = []
        for host in range(HOSTS):
            one, other = (stack.enter_context(context.socket(zmq.PAIR)) for _ in "ab")
            other.connect(f"tcp://127.0.0.1:{one.bind_to_random_port('tcp://127.0.0.1')}")
            contents = {"mine": os.urandom(size), "all": b"all" * size}
            files = written(tmp_path / f"out{host}", contents)
            sender = ImageSender(f"h{host}", tmp_path / f"out{host}", files, partial(say, one))
            ends[one] = stack.enter_context(sender)
            store = partial(ContentStore, tmp_path / "store")
            ends[other] = stack.enter_context(ImageReceiver(partial(say, other), store))
            senders.append((sender, contents))
        poller = zmq.Poller()
        for socket in ends:
            poller.register(socket, zmq.POLLIN)
        for sender, _ in senders:
            sender.start()
        receivers = [end for end in ends.values() if isinstance(end, ImageReceiver)]
        while not all(sender.place for sender, _ in senders):
            busy = any(receiver.busy for receiver in receivers)
            ready = poller.poll(0 if busy else PATIENCE)
            assert ready or busy
            for socket, _ in ready:
                kind, values = msgpack.unpackb(socket.recv())
                ends[socket].take(kind, **values)
            for receiver in receivers:
                receiver.work()
        for sender, contents in senders:
            assert content(sender.place) == dict(sorted(contents.items()))
