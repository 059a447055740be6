"""One core's connection to the memory node: loads, stores, captures, and the ends of samples."""

from __future__ import annotations

import zmq

from emu.core.request import Capture, Load, Store
from emu.noc.ports.port import PortFault
from emu.noc.watch.board import BoardRow
from emu.noc.wire.frames import Header, Kind, decode_control, decode_header, encode_header


class MemoryLink:
    """A DEALER to the memory node; at most one load, store or capture is under way."""

    def __init__(self, socket: zmq.Socket[bytes], core: int, row: BoardRow) -> None:
        self.socket = socket
        self._core, self._row = core, row
        self._load: Load | None = None
        self._waiting = False
        self._stored = False  # in this sample

    def load(self, request: Load, sample: int) -> None:
        """Ask for bytes; they are there once `settled`."""
        self._load, self._waiting = request, True
        size = len(request.into)
        self.socket.send(encode_header(Kind.LOAD, self._core, 0, sample, size, request.address))

    def store(self, request: Store, sample: int) -> None:
        """Send bytes; they are stored once `settled`."""
        self._give(Kind.STORE, sample, request.address, request.data)

    def capture(self, request: Capture, sample: int) -> None:
        """Send the content of a kept buffer; it is there once `settled`."""
        self._give(Kind.CAPTURE, sample, request.buffer, request.data)

    def _give(self, kind: Kind, sample: int, arg: int, data: memoryview) -> None:
        self._waiting = self._stored = True
        self.socket.send(encode_header(kind, self._core, 0, sample, len(data), arg), zmq.SNDMORE)
        self.socket.send(data)

    def settled(self) -> bool:
        """Whether the load or store begun last is complete."""
        return not self._waiting

    def finish(self, sample: int) -> None:
        """This core is done with `sample`: block until the next one may begin.

        The board says so to the memory node. A message goes only from who made it look or must wait for it.
        """
        self._row.idle(sample)
        asks = not self._row.may_begin(sample + 1)
        if asks or self._stored:
            self.socket.send(encode_header(Kind.DONE, self._core, 0, sample, 0, int(asks)))
            self._stored = False
        if asks and decode_header(self.socket.recv()).kind is not Kind.BEGIN:
            raise RuntimeError(f"the memory node answered core {self._core} out of turn")

    def pump(self) -> None:
        """Block for one message of the memory node; raises PortFault if it refuses the request."""
        header = decode_header(self.socket.recv())
        self._waiting = False
        if header.kind is Kind.FAULT:
            raise PortFault(*decode_control(self.socket.recv()))
        if header.kind is Kind.LOADED:
            self._fill(header)

    def _fill(self, header: Header) -> None:
        load, self._load = self._load, None
        if load is None or self.socket.recv_into(load.into) != header.size or header.size != len(load.into):
            raise RuntimeError(f"the memory node answered core {self._core} with {header.size} bytes unasked")
