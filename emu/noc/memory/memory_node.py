"""The memory node: holds the global memory of all samples under way behind one socket, and never blocks on a core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from emu.noc.barrier.barrier import HOST, Barrier, Reply
from emu.noc.memory.global_memory import Range, SampleMemories
from emu.noc.memory.read_only import NOTHING, ReadOnlyMemory
from emu.noc.memory.sample_clock import SampleClock
from emu.noc.ports.port import PortFault
from emu.noc.watch.board import Activity, ActivityRow
from emu.noc.wire.frames import (
    MAX_HEADER,
    FrameHeader,
    FrameKind,
    MalformedFrame,
    decode_control,
    decode_header,
    encode_control,
    encode_header,
)
from emu.noc.wire.library import Door, ReceivedFrame, Socket
from emu.noc.wire.patience import Patience

Frames = Sequence[ReceivedFrame]


class MemoryNode:
    """Answers messages: `receive` returns what to send. Does no I/O.

    All cores must have finished a sample, which `clock` knows, before its `outputs` (ranges of global memory) go to
    the host. `read_only` tensors are there from the beginning, for all samples.
    """

    def __init__(
        self,
        size: int,
        outputs: Sequence[Range],
        clock: SampleClock,
        barrier: Barrier,
        read_only: ReadOnlyMemory = NOTHING,
    ) -> None:
        self.memories = SampleMemories(size, read_only)
        self._outputs, self._clock = list(outputs), clock
        self._barrier = barrier
        self._filled = 0  # samples whose inputs are here
        self._horizon = 0  # samples that may begin: those, once every core has finished `init`
        self._given = 0  # samples whose results went to the host
        self._asking: list[int] = []  # cores that wait for the next sample
        self._captures: dict[int, list[tuple[int, int, bytes]]] = {}
        self._handlers: dict[FrameKind, Callable[[bytes, FrameHeader, Frames], list[Reply]]] = {
            FrameKind.LOAD: self._load,
            FrameKind.STORE: self._store,
            FrameKind.CAPTURE: self._capture,
            FrameKind.DONE: self._finish,
            FrameKind.PUT: self._put,
            FrameKind.BIND: self._join,
            FrameKind.READY: self._join,
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
        handler = self._handlers.get(header.kind)
        if handler is None or self._barrier.core(identity) != header.src:
            return []
        if not self._barrier.open:
            handler = self._join
        return handler(identity, header, frames[2:])

    def _join(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        """Before the start, and after it who has not heard of it yet."""
        return self._barrier.receive(identity, header, payload[0].bytes if payload else b"")

    def _load(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        try:
            data = self.memories.of(header.sample).view(header.arg, header.size)
        except PortFault as fault:
            return [_refuse(identity, fault)]
        reply = encode_header(FrameKind.LOADED, HOST, 0, header.sample, header.size, header.arg)
        return [(identity, reply, data)]  # a view is sent as it is

    def _store(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        try:
            self.memories.of(header.sample).write(header.arg, payload[0].buffer)
        except PortFault as fault:
            self._clock.refuses(header.src)
            return [_refuse(identity, fault)]
        return self._stored(identity, header)

    def _stored(self, identity: bytes, header: FrameHeader) -> list[Reply]:
        if self._clock.acknowledges(header.src, header.seq):
            return []
        return [(identity, encode_header(FrameKind.STORED, HOST, 0, header.sample))]

    def _capture(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        self._captures.setdefault(header.sample, []).append((header.src, header.arg, payload[0].bytes))
        return self._stored(identity, header)

    def _put(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        """The host's inputs of the next sample: cores that ask for it may begin."""
        memory = self.memories.open(header.sample)
        for address, frame in zip(decode_control(payload[0].bytes), payload[1:], strict=True):
            memory.write(address, frame.buffer)
        self._filled = header.sample + 1
        return self._admit() + self._results()

    def _finish(self, identity: bytes, header: FrameHeader, payload: Frames) -> list[Reply]:
        """A core has finished `init` or a sample, and others may have: what is complete goes to the host."""
        self._clock.hears(header.src, header.sample, header.arg)
        if header.size and header.sample + 1 < self._horizon:
            return [self._begin(header.src), *self._results()]
        if header.size:
            self._asking.append(header.src)
        return self._admit() + self._results()

    def _admit(self) -> list[Reply]:
        """Let the samples begin whose inputs are there, if none of them can meet the `init` of a slower core."""
        if self._filled == self._horizon or not (self._horizon or self._clock.powered):
            return []
        self._horizon = self._filled
        self._clock.allow(self._horizon)
        begin, self._asking = self._asking, []
        return [self._begin(core) for core in begin]

    def _begin(self, core: int) -> Reply:
        return self._barrier.identity(core), encode_header(FrameKind.BEGIN, HOST, 0, 0, 0, self._horizon)

    def _results(self) -> list[Reply]:
        """The samples that all cores have finished, as far as the host does not have them."""
        first, self._given = self._given, self._clock.finished
        return [self._result(sample) for sample in range(first, self._given)]

    def _result(self, sample: int) -> Reply:
        memory = self.memories.of(sample)
        captures = self._captures.pop(sample, [])
        about: list[Any] = [
            memory.unwritten(self._outputs),
            [(core, buffer) for core, buffer, _ in captures],
            self._clock.unsettled(sample),
        ]
        header = encode_header(FrameKind.RESULT, HOST, 0, sample)
        blocks = memory.parts(self._outputs)  # sent before any later sample can get the memory
        self.memories.drop(sample)
        return (self._barrier.identity(HOST), header, encode_control(about), *blocks, *(data for *_, data in captures))


def _refuse(identity: bytes, fault: PortFault) -> Reply:
    return identity, encode_header(FrameKind.FAULT, HOST), encode_control([fault.reason, fault.value, fault.limit])


def serve(
    socket: Socket, node: MemoryNode, barrier: Barrier, row: ActivityRow, door: Door, started: Callable[[], None]
) -> None:
    """Answer messages for ever; `started` is called once, when the barrier opens. `row` tells whom it waits for.

    Until then it raises InputError if strangers at the `door` leave no open file for too long.
    """
    patience = Patience("the memory node", door, barrier.size)
    while not barrier.open:
        activity = Activity.BINDING if barrier.binding else Activity.READY
        row.does(activity, min(barrier.missing, default=HOST), len(barrier.missing))
        patience.wait(socket)
        frames = socket.recv_frames()
        if barrier.core(frames[0].bytes) is not None:
            door.proved(frames[-1])
        _serve_one(socket, node, frames)
    row.does(Activity.RUNNING)
    started()
    while True:
        _serve_one(socket, node, socket.recv_frames())


def _serve_one(socket: Socket, node: MemoryNode, frames: Frames) -> None:
    for reply in node.receive(frames):
        socket.answer(*reply)  # whoever died since hears nothing; the supervisor tells
