"""The memory node: global memory of all samples under way behind one ROUTER; it never blocks on a core."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import zmq

from emu.noc.barrier import HOST, Barrier, Reply
from emu.noc.frames import (
    MAX_HEADER,
    Header,
    Kind,
    MalformedFrame,
    decode_control,
    decode_header,
    encode_control,
    encode_header,
)
from emu.noc.global_memory import Range, SampleMemories
from emu.noc.place import INIT_SAMPLE
from emu.noc.port import PortFault

Frames = Sequence[zmq.Frame]


class MemoryNode:
    """Answers messages: `receive` returns what to send. Does no I/O.

    `cores` must all be done with a sample before its `outputs` (ranges of global memory) go to the host.
    """

    def __init__(self, size: int, outputs: Sequence[Range], cores: Collection[int], barrier: Barrier) -> None:
        self._memories = SampleMemories(size)
        self._outputs, self._cores = list(outputs), set(cores)
        self._barrier = barrier
        self._horizon = INIT_SAMPLE  # the last sample whose inputs are here
        self._asking: dict[int, int] = {}  # core -> the sample that it would begin, but may not yet
        self._told: dict[int, int] = {}  # core -> the last sample of which it knows that it may begin it
        self._done: dict[int, int] = {}  # sample -> cores that are done with it
        self._captures: dict[int, list[tuple[int, int, bytes]]] = {}
        self._handlers: dict[Kind, Callable[[bytes, Header, Frames], list[Reply]]] = {
            Kind.LOAD: self._load,
            Kind.STORE: self._store,
            Kind.CAPTURE: self._capture,
            Kind.DONE: self._finish,
            Kind.PUT: self._put,
        }

    def receive(self, frames: Frames) -> list[Reply]:
        """Handle one message (identity, header, payload ...); strangers and malformed messages are ignored."""
        if len(frames) < 2 or len(frames[1].buffer) > MAX_HEADER:
            return []
        identity = frames[0].bytes
        try:
            header = decode_header(frames[1].bytes)
        except MalformedFrame:
            return []
        if not self._barrier.open:
            return self._barrier.receive(identity, header, frames[2].bytes if len(frames) > 2 else b"")
        handler = self._handlers.get(header.kind)
        if handler is None or self._barrier.core(identity) != header.src:
            return []
        return handler(identity, header, frames[2:])

    def _load(self, identity: bytes, header: Header, payload: Frames) -> list[Reply]:
        try:
            data = self._memories.of(header.sample).view(header.arg, header.size)
        except PortFault as fault:
            return [_refuse(identity, fault)]
        reply = encode_header(Kind.LOADED, HOST, 0, header.sample, header.size, header.arg)
        return [(identity, reply, data)]  # type: ignore[list-item]  # a view is sent as it is

    def _store(self, identity: bytes, header: Header, payload: Frames) -> list[Reply]:
        try:
            self._memories.of(header.sample).write(header.arg, payload[0].buffer)
        except PortFault as fault:
            return [_refuse(identity, fault)]
        return [(identity, encode_header(Kind.STORED, HOST, 0, header.sample))]

    def _capture(self, identity: bytes, header: Header, payload: Frames) -> list[Reply]:
        self._captures.setdefault(header.sample, []).append((header.src, header.arg, payload[0].bytes))
        return []

    def _put(self, identity: bytes, header: Header, payload: Frames) -> list[Reply]:
        """The host's inputs of the next sample: cores that ask for it may begin."""
        memory = self._memories.open(header.sample)
        for address, frame in zip(decode_control(payload[0].bytes), payload[1:], strict=True):
            memory.write(address, frame.buffer)
        self._horizon = header.sample
        begin = [core for core, sample in self._asking.items() if sample <= self._horizon]
        for core in begin:
            del self._asking[core]
        return [self._begin(core) for core in begin] or ([] if self._cores else self._result(header.sample))

    def _finish(self, identity: bytes, header: Header, payload: Frames) -> list[Reply]:
        """A core is done with a sample: it may begin the next one now or later; the last one completes the sample."""
        core, sample = header.src, header.sample
        replies: list[Reply] = []
        if sample >= self._horizon:
            self._asking[core] = sample + 1
        elif sample >= self._told.get(core, INIT_SAMPLE):
            replies = [self._begin(core)]
        if sample == INIT_SAMPLE:
            return replies
        self._done[sample] = self._done.get(sample, 0) + 1
        return replies + (self._result(sample) if self._done[sample] == len(self._cores) else [])

    def _begin(self, core: int) -> Reply:
        self._told[core] = self._horizon
        return self._barrier.identity(core), encode_header(Kind.BEGIN, HOST, 0, self._horizon)

    def _result(self, sample: int) -> list[Reply]:
        memory = self._memories.of(sample)
        captures = self._captures.pop(sample, [])
        about: list[Any] = [memory.unwritten(self._outputs), [(core, buffer) for core, buffer, _ in captures]]
        header = encode_header(Kind.RESULT, HOST, 0, sample)
        blocks = memory.collect(self._outputs) + [data for _, _, data in captures]
        self._memories.drop(sample)
        self._done.pop(sample, None)
        return [(self._barrier.identity(HOST), header, encode_control(about), *blocks)]


def _refuse(identity: bytes, fault: PortFault) -> Reply:
    return identity, encode_header(Kind.FAULT, HOST), encode_control([fault.reason, fault.value, fault.limit])


def serve(socket: zmq.Socket[bytes], node: MemoryNode, barrier: Barrier, started: Callable[[], None]) -> None:
    """Answer messages for ever; `started` is called once, when the barrier opens."""
    was_open = False
    while True:
        for reply in node.receive(socket.recv_multipart(copy=False)):
            _answer(socket, reply)
        if barrier.open and not was_open:
            was_open = True
            started()


def _answer(socket: zmq.Socket[bytes], reply: Reply) -> None:
    try:
        socket.send_multipart(reply)
    except zmq.ZMQError as error:
        if error.errno != zmq.EHOSTUNREACH:  # it died; the supervisor tells
            raise
