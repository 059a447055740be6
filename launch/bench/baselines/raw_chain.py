"""The barest chain of processes over pyzmq that hand a message on, each acknowledged before the next one is sent."""

from __future__ import annotations

import os
import select
import struct
import tempfile
from functools import partial
from types import TracebackType

import zmq

from launch.bench.baselines.forked import PATIENCE, end, fork

COUNT = struct.Struct("q")  # rounds that the first process is asked for, and says that it has made


class RawChain:
    """`processes` children, each with a ROUTER at which the one before comes in, and a DEALER to the one behind.

    A message of `size` bytes goes from the first through all of them and back to it. Each takes it with one copy, and
    answers with nothing. Made before this process has used ZeroMQ, which must not be forked.
    """

    def __init__(self, processes: int, size: int) -> None:
        self._directory = tempfile.TemporaryDirectory()
        endpoints = [f"ipc://{self._directory.name}/{place}" for place in range(processes)]
        asked, self._ask = os.pipe()
        self._answers, tell = os.pipe()
        self.children = list[int]()
        for place in range(processes):
            pipes = None if place else (asked, tell)
            self.children.append(
                fork(partial(_member, endpoints[place], endpoints[(place + 1) % processes], size, pipes))
            )
        os.close(asked)
        os.close(tell)
        self.go(1)

    def go(self, rounds: int) -> None:
        """Let the message go round so often; raises TimeoutError."""
        os.write(self._ask, COUNT.pack(rounds))
        if not select.select([self._answers], [], [], PATIENCE)[0]:
            raise TimeoutError(f"{len(self.children)} bare processes pass no message on")
        os.read(self._answers, COUNT.size)

    def __enter__(self) -> RawChain:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end(self.children)
        os.close(self._ask)
        os.close(self._answers)
        self._directory.cleanup()


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
