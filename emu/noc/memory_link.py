"""One core's connection to the memory node: loads, stores, captures, and permission to begin samples."""

from __future__ import annotations

import zmq

from emu.core.request import Capture, Load, Store
from emu.noc.frames import Header, Kind, decode_control, decode_header, encode_header
from emu.noc.place import INIT_SAMPLE
from emu.noc.port import PortFault


class MemoryLink:
    """A DEALER to the memory node; at most one load or store is under way."""

    def __init__(self, socket: zmq.Socket[bytes], core: int) -> None:
        self.socket = socket
        self._core = core
        self._horizon = INIT_SAMPLE  # the last sample that may begin
        self._load: Load | None = None
        self._waiting = False

    def load(self, request: Load, sample: int) -> None:
        """Ask for bytes; they are there once `settled`."""
        self._load, self._waiting = request, True
        size = len(request.into)
        self.socket.send(encode_header(Kind.LOAD, self._core, 0, sample, size, request.address))

    def store(self, request: Store, sample: int) -> None:
        """Send bytes; they are stored once `settled`."""
        self._waiting = True
        header = encode_header(Kind.STORE, self._core, 0, sample, len(request.data), request.address)
        self.socket.send(header, zmq.SNDMORE)
        self.socket.send(request.data)

    def capture(self, request: Capture, sample: int) -> None:
        """Send the content of a kept buffer."""
        header = encode_header(Kind.CAPTURE, self._core, 0, sample, len(request.data), request.buffer)
        self.socket.send(header, zmq.SNDMORE)
        self.socket.send(request.data)

    def settled(self) -> bool:
        """Whether the load or store begun last is complete."""
        return not self._waiting

    def finish(self, sample: int) -> None:
        """Say that this core is done with `sample`, and block until the next one may begin."""
        self.socket.send(encode_header(Kind.DONE, self._core, 0, sample))
        while self._horizon <= sample:
            self.pump()

    def pump(self) -> None:
        """Block for one message of the memory node; raises PortFault if it refuses the request."""
        header = decode_header(self.socket.recv())
        if header.kind is Kind.BEGIN:
            self._horizon = max(self._horizon, header.sample)
            return
        self._waiting = False
        if header.kind is Kind.FAULT:
            raise PortFault(*decode_control(self.socket.recv()))
        if header.kind is Kind.LOADED:
            self._fill(header)

    def _fill(self, header: Header) -> None:
        load, self._load = self._load, None
        if load is None or self.socket.recv_into(load.into) != header.size or header.size != len(load.into):
            raise RuntimeError(f"the memory node answered core {self._core} with {header.size} bytes unasked")
