"""The host's end of the network: puts inputs into global memory, takes outputs and captures from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.noc.barrier.barrier import HOST
from emu.noc.barrier.greeting import Greeting
from emu.noc.barrier.joining import Net, Timer, say
from emu.noc.memory.global_memory import Range
from emu.noc.wire.frames import FrameKind, decode_control, decode_header, encode_control, encode_header


@dataclass(frozen=True, slots=True)
class SampleOutputs:
    """What a sample left: one block per output range, ranges never written, captures by (core, buffer).

    `unsettled`: messages are left over, or syncs may be.
    """

    sample: int
    blocks: list[memoryview]
    unwritten: list[Range]
    captures: dict[tuple[int, int], bytes]
    unsettled: bool


class HostLink:
    """A connection to the memory node, which listens at `node`; `ranges` of global memory are outputs."""

    def __init__(self, net: Net, node: str, ranges: int) -> None:
        self._library = net.library()
        self.socket = net.connect(self._library, node, HOST)
        self._ranges = ranges
        self._greeting, self._timer = Greeting(HOST), Timer()
        say(self._greeting, self.socket)

    def remind(self) -> None:
        """Call it again and again until all may start: what the node has not answered is said again now and then."""
        if not self._timer.left():
            self._timer.set()
            say(self._greeting, self.socket)

    def put(self, sample: int, tiles: Sequence[tuple[int, np.ndarray]]) -> None:
        """Send the inputs of `sample`: (address, contiguous array) each."""
        about = encode_control([address for address, _ in tiles])
        blocks = [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for _, array in tiles]
        self.socket.send_multipart([encode_header(FrameKind.PUT, HOST, 0, sample), about, *blocks])

    def receive(self) -> SampleOutputs | None:
        """The next message, which must be there: a result, or None for GO (which may come twice)."""
        frames = self.socket.recv_frames()
        header = decode_header(frames[0].bytes)
        if header.kind is not FrameKind.RESULT:
            self._greeting.told(header)
            return None
        unwritten, names, unsettled = decode_control(frames[1].bytes)
        blocks, captured = [frame.buffer for frame in frames[2 : 2 + self._ranges]], frames[2 + self._ranges :]
        captures = {(core, buffer): data.bytes for (core, buffer), data in zip(names, captured, strict=True)}
        return SampleOutputs(
            header.sample, blocks, [(address, size) for address, size in unwritten], captures, unsettled
        )

    def nudge(self) -> None:
        """Make the memory node look which samples are finished: no core may do so any more."""
        self.socket.send(encode_header(FrameKind.DONE, HOST))

    def close(self) -> None:
        """Close the socket and its library; waits for nothing."""
        self.socket.close()
        self._library.close()
