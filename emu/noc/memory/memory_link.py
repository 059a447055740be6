"""One core's connection to the memory node: loads, stores, captures, and the ends of samples."""

from __future__ import annotations

from emu.core.request import Capture, Load, Store
from emu.noc.barrier.barrier import HOST
from emu.noc.ports.port import PortFault
from emu.noc.watch.board import Activity, BoardRow
from emu.noc.wire.frames import FrameHeader, FrameKind, decode_control, decode_header, encode_header
from emu.noc.wire.library import MORE, Socket

LOAD, LOADED, STORED = int(FrameKind.LOAD), int(FrameKind.LOADED), int(FrameKind.STORED)


class MemoryLink:
    """A connection to the memory node; at most one load, store or capture is under way.

    `shared` is whether the node sees the board that `row` is on.
    """

    def __init__(self, socket: Socket, core: int, row: BoardRow, shared: bool = True) -> None:
        self.socket = socket
        self._core, self._row, self._shared = core, row, shared
        self._horizon = 0  # samples that may begin, as the node has said last
        self._load: Load | None = None
        self._expected = b""  # the header of the answer that is waited for, if all goes well; empty: of none
        self._stored = False  # in this sample
        self.asked = False  # for the next sample

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
        self._stored = True
        self._expected = encode_header(STORED, HOST, 0, sample)
        self.socket.send(encode_header(kind, self._core, 0, sample, len(data), arg), MORE)
        self.socket.send(data)

    def settled(self) -> bool:
        """Whether the load or store begun last is complete."""
        return not self._expected

    def end(self, sample: int, left: int) -> None:
        """This core is done with `sample`, until then sent `left` more messages than taken, and used events or not.

        The board says so. The node gets a message only if it does not see the board, or if the core has stored
        something or must wait: it has to act then.
        """
        self._row.leaves(sample, left)
        self._row.idle(sample)
        self.asked = not (self._row.may_begin(sample + 1) or self._horizon > sample + 1)
        if self.asked or self._stored or not self._shared:
            self.socket.send(encode_header(FrameKind.DONE, self._core, 0, sample, int(self.asked), left))
        self._stored = False

    def begin(self, sample: int) -> None:
        """Block until `sample` may begin, if it might not when the one before it ended."""
        if not self.asked:
            return
        header = decode_header(self.socket.recv())
        while header.kind is FrameKind.GO:
            header = decode_header(self.socket.recv())
        if header.kind is not FrameKind.BEGIN or header.arg <= sample:
            raise RuntimeError(f"the memory node answered core {self._core} out of turn before sample {sample}")
        self._horizon = header.arg

    def pump(self) -> None:
        """Block for one message of the memory node; raises PortFault if it refuses the request."""
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
