"""A port that is disturbed: the ZeroMQ port with faults before requests, messages and acknowledgements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import zmq

from emu.chaos.effects import Effect, Frames
from emu.chaos.fault import Fault
from emu.chaos.kinds import KINDS
from emu.chaos.tally import Tally
from emu.core.request import Capture, Request
from emu.noc.between_processes.inbox import Inbox
from emu.noc.between_processes.zmq_port import Outgoing, Socket, ZmqPort
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.ports.port import Flow
from emu.noc.watch.board import BoardRow
from emu.noc.wire.frames import Kind, encode_header

DATA, ACK = int(Kind.DATA), int(Kind.ACK)


def effects_of(faults: Sequence[Fault], core: int, tally: Tally) -> list[Effect]:
    """What disturbs `core`, in the order of the specifications."""
    mine = [fault for fault in faults if fault.hits(core)]
    return [KINDS[fault.kind].effect(fault, core, tally.counter(core, fault.kind)) for fault in mine]


def fork_order(faults: Sequence[Fault], cores: Sequence[int]) -> list[int]:
    """The order in which cores are forked: shuffled if `reorder-start` is among the faults."""
    order = list(cores)
    for fault in faults:
        if fault.kind == "reorder-start":
            Random(f"{fault.seed} {fault.kind} {fault.ordinal} forks").shuffle(order)
    return order


class ChaosPort(ZmqPort):
    """One core's disturbed end of the network; it exists only in runs with chaos.

    What is sent twice or never is counted once, as the core believes that it was sent: the other end must find out.
    """

    def __init__(
        self,
        effects: Sequence[Effect],
        core: int,
        flow: Flow,
        inbox: Inbox,
        peers: dict[int, Socket],
        memory: MemoryLink,
        row: BoardRow,
    ) -> None:
        super().__init__(core, flow, inbox, peers, memory, row)
        self._effects = list(effects)
        self._requests = self._sends = self._takes = 0

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request after what disturbs it; True if it is complete at once; raises PortFault."""
        if isinstance(request, Capture):  # of the observer, not of the program: --keep must not move what is injected
            return super().start(request, sample)
        number, self._requests = self._requests, self._requests + 1
        for effect in self._effects:
            effect.requests(number)
        return super().start(request, sample)

    def _put(self, out: Outgoing, data: memoryview | zmq.Frame, give: Callable[..., object]) -> None:
        messages: Frames = [(encode_header(DATA, self.core, out.sent, self._sample, len(data)), data)]
        for effect in self._effects:
            messages = effect.sends(self._sends, messages)
        self._sends += 1
        for header, payload in messages:
            out.socket.send(header, zmq.SNDMORE)
            give(payload)
        out.sent += 1

    def _took(self, peer: int, index: int) -> None:
        self.row.runs()  # it does: nobody must take a delay for a core that stands still
        kept = [effect.takes(self._takes) for effect in self._effects]  # all are asked
        self._takes += 1
        self._taken[peer] = index + 1
        self.row.took(peer, index + 1)
        if all(kept):
            self._inbox.answer(peer, encode_header(ACK, self.core, index, self._sample))
