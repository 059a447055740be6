"""The barest stop-and-wait over pyzmq between two processes: what any network of this kind is measured against."""

from __future__ import annotations

import os
import tempfile
import time
from functools import partial

import zmq

from launch.bench.baselines.forked import ForkedBaseline


class RawPair(ForkedBaseline):
    """A DEALER here and a ROUTER in a child process that takes each message with one copy and answers with nothing.

    `size` is the bytes of every message.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        endpoint = f"ipc://{self.enter_context(tempfile.TemporaryDirectory())}/raw"
        reader, writer = os.pipe()
        self.fork(partial(_answer, endpoint, size, writer))
        os.close(writer)
        with os.fdopen(reader) as pipe:
            bound = pipe.readline()
        context = zmq.Context()
        self.callback(context.destroy, linger=0)
        self._socket = context.socket(zmq.DEALER)
        self._socket.connect(bound)
        self._payload = bytes(size)
        self.seconds(10)

    def seconds(self, count: int) -> float:
        """The time of `count` round trips."""
        send, recv, payload = self._socket.send, self._socket.recv, self._payload
        began = time.perf_counter()
        for _ in range(count):
            send(payload)
            recv()
        return time.perf_counter() - began


def _answer(endpoint: str, size: int, writer: int) -> None:
    socket = zmq.Context().socket(zmq.ROUTER)
    socket.bind(endpoint)
    os.write(writer, socket.get_string(zmq.LAST_ENDPOINT).encode())
    os.close(writer)
    into, recv, recv_into, send = bytearray(size), socket.recv, socket.recv_into, socket.send
    while True:
        identity = recv()
        recv_into(into)
        send(identity, zmq.SNDMORE)
        send(b"")
