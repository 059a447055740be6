"""The barest chain of processes over pyzmq that hand a message on, each acknowledged before the next one is sent."""

from __future__ import annotations

import os
import select
import struct
import tempfile
from functools import partial

import zmq

from launch.bench.baselines.forked import PATIENCE, ForkedBaseline

COUNT = struct.Struct("q")  # rounds that the first process is asked for, and says that it has made


class RawChain(ForkedBaseline):
    """`processes` children, each with a ROUTER at which the one before comes in, and a DEALER to the one behind.

    A message of `size` bytes goes from the first through all of them and back to it. Each takes it with one copy, and
    answers with nothing. Made before this process has used ZeroMQ, which must not be forked.
    """

    def __init__(self, processes: int, size: int) -> None:
        super().__init__()
        folder = self.enter_context(tempfile.TemporaryDirectory())
        endpoints = [f"ipc://{folder}/{place}" for place in range(processes)]
        asked, self._ask = os.pipe()
        self._answers, tell = os.pipe()
        self.callback(os.close, self._ask)
        self.callback(os.close, self._answers)
        for place in range(processes):
            pipes = None if place else (asked, tell)
            self.fork(partial(_member, endpoints[place], endpoints[(place + 1) % processes], size, pipes))
        os.close(asked)
        os.close(tell)
        self.go(1)

    def go(self, rounds: int) -> None:
        """Let the message go round so often; raises TimeoutError."""
        os.write(self._ask, COUNT.pack(rounds))
        if not select.select([self._answers], [], [], PATIENCE)[0]:
            raise TimeoutError(f"{len(self.children)} bare processes pass no message on")
        os.read(self._answers, COUNT.size)


def _member(own: str, following: str, size: int, leader: tuple[int, int] | None) -> None:
    """Hand on for ever; the `leader`, with pipes to read numbers of rounds and to answer, begins each round."""
    context = zmq.Context()
    before, behind = context.socket(zmq.ROUTER), context.socket(zmq.DEALER)
    before.bind(own)
    behind.connect(following)
    into, payload = bytearray(size), bytes(size)
    recv, recv_into, answer, send, taken = before.recv, before.recv_into, before.send, behind.send, behind.recv

    def take() -> None:
        identity = recv()
        recv_into(into)
        answer(identity, zmq.SNDMORE)
        answer(b"")

    if leader is None:
        while True:
            take()
            send(payload)
            taken()
    asked, tell = leader
    while True:
        (rounds,) = COUNT.unpack(os.read(asked, COUNT.size))
        for _ in range(rounds):
            send(payload)
            taken()
            take()
        os.write(tell, COUNT.pack(rounds))
