"""One core's connection to the memory node: loads, stores, captures, and the ends of samples."""

from __future__ import annotations

from emu.core.request import Capture, Load, Store
from emu.noc.barrier.barrier import HOST
from emu.noc.ports.port import PortFault
from emu.noc.watch.board import NODE, Activity, BoardRow
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_control, decode_header, encode_header
from emu.noc.wire.library import MORE, Socket

LOAD, LOADED, STORED = int(FrameKind.LOAD), int(FrameKind.LOADED), int(FrameKind.STORED)


class MemoryLink:
    """A connection to the memory node; at most one load, store or capture is under way.

    A node that shares the board which `row` is on acknowledges stores there, and says there which samples may begin. In
    return it sees there how far the core is.
    """

    def __init__(self, socket: Socket, core: int, row: BoardRow) -> None:
        self.socket = socket
        self._core, self._row, self._shared = core, row, row.shares(NODE)
        self._horizon = 0  # samples that may begin, as a node on another machine has said last
        self._load: Load | None = None
        self._expected = b""  # the header of the answer that is waited for, if all goes well; empty: of none
        self._stored = 0  # stores and captures so far
        self._storing = False  # the board will say that the last of them is complete
        self.asked = False  # for the next sample, a node on another machine

    def ask(self, request: Load | Store | Capture, sample: int) -> None:
        """Ask for bytes, or send some, or the content of a kept buffer; it is done once `settled`."""
        match request:
            case Load(address=address, into=into):
                self._row.does(Activity.LOAD)
                self._load = request
                self._expected = encode_header(LOADED, HOST, 0, sample, len(into), address)
                self.socket.send(encode_header(LOAD, self._core, 0, sample, len(into), address))
            case Store(address=address, data=data):
                self._row.does(Activity.STORE)
                self._give(FrameKind.STORE, sample, address, data)
            case Capture(buffer=buffer, data=data):
                self._give(FrameKind.CAPTURE, sample, buffer, data)

    def _give(self, kind: FrameKind, sample: int, arg: int, data: memoryview) -> None:
        self._stored += 1
        self._storing = self._shared
        self._expected = b"" if self._shared else encode_header(STORED, HOST, 0, sample)
        self.socket.send(encode_header(kind, self._core, self._stored, sample, len(data), arg), MORE)
        self.socket.send(data)

    def settled(self) -> bool:
        """Whether the load or store begun last is complete; raises PortFault if the node refuses a store."""
        if not self._storing:
            return not self._expected
        stored = self._row.acknowledged(NODE)
        if stored < 0:
            self._storing = False
            self._unexpected(self._heard())
        self._storing = stored < self._stored
        return not self._storing

    def answered(self) -> bool:
        """Whether there is an answer to be heard; what the board shows need not be heard."""
        return not self._storing and bool(self.socket.poll(0))

    def end(self, sample: int, left: int) -> None:
        """This core is done with `sample`, until then sent `left` more messages than taken, and used events or not.

        The board says so. A node that sees the board gets a message only from the last core, for it must act then.
        """
        self._row.leaves(sample, left)
        self._row.idle(sample)
        self.asked = not (self._shared or self._horizon > sample + 1)
        if not self._shared or self._row.ended_by_all(sample):
            self.socket.send(encode_header(FrameKind.DONE, self._core, 0, sample, int(self.asked), left))

    def may_begin(self, sample: int) -> bool:
        """Whether `sample` may begin, as far as answers were heard."""
        return self._row.may_begin(sample) if self._shared else not self.asked

    def may_be_late(self, sample: int) -> bool:
        """Whether `sample` may not begin yet, and the board will show to all when it may."""
        return self._shared and not self._row.may_begin(sample)

    def begin(self, sample: int) -> None:
        """Block until `sample` may begin."""
        while not self.may_begin(sample):
            if self._shared:
                self._row.bell.hear()
            else:
                self._admitted(sample)

    def _admitted(self, sample: int) -> None:
        header = self._heard()
        if header.kind is not FrameKind.BEGIN or header.arg <= sample:
            raise RuntimeError(f"the memory node answered core {self._core} out of turn before sample {sample}")
        self._horizon, self.asked = header.arg, False

    def _heard(self) -> FrameHeader:
        """The next header that is not GO once more, which was asked for twice; blocks."""
        header = decode_header(self.socket.recv())
        while header.kind is FrameKind.GO:
            header = decode_header(self.socket.recv())
        return header

    def pump(self) -> None:
        """Block for one answer of the memory node; raises PortFault if it refuses the request."""
        if self._storing:
            self._row.bell.hear()
            return
        data, load = self.socket.recv(), self._load
        if data != self._expected:
            self._unexpected(decode_header(data))
            return
        self._expected, self._load = b"", None
        if load is not None and self.socket.recv_into(load.into) != len(load.into):
            raise RuntimeError(f"the memory node answered core {self._core} with other than {len(load.into)} bytes")

    def _unexpected(self, header: FrameHeader) -> None:
        """A refusal, or GO once more: it was asked for twice."""
        if header.kind is FrameKind.GO:
            return
        self._expected, self._load = b"", None
        if header.kind is FrameKind.FAULT:
            raise PortFault(*decode_control(self.socket.recv()))
        raise RuntimeError(f"the memory node answered core {self._core} what was not asked: {header}")
