"""A wrapper of a core's port, which injects faults before requests and into the frames that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from emu.chaos.effects import Effect
from emu.chaos.fault import ChaosFault
from emu.chaos.kinds import KINDS
from emu.chaos.tally import FaultTally
from emu.core.request import Capture, Request
from emu.noc.between_processes.inbox import Inbox
from emu.noc.memory.memory_link import MemoryLink
from emu.noc.ports.around import PortAround
from emu.noc.ports.port import FlowControl, Port
from emu.noc.watch.board import BoardRow
from emu.noc.wire.library import MORE, Payload, Socket


def effects_of(faults: Sequence[ChaosFault], core: int, tally: FaultTally) -> list[Effect]:
    """What disturbs `core`, in the order of the specifications."""
    mine = [fault for fault in faults if fault.hits(core)]
    return [KINDS[fault.kind].effect(fault, core, tally.counter(core, fault.kind)) for fault in mine]


def fork_order(faults: Sequence[ChaosFault], cores: Sequence[int]) -> list[int]:
    """The order in which cores are forked: shuffled if `reorder-start` is among the faults."""
    order = list(cores)
    for fault in faults:
        if fault.kind == "reorder-start":
            Random(f"{fault.seed} {fault.kind} {fault.ordinal} forks").shuffle(order)
    return order


def disturbed(effects: Sequence[Effect], make: Callable[..., Port]) -> Callable[..., Port]:
    """What makes a port as `make` does (called as `ProcessPort` is), disturbed by `effects`.

    What is sent twice or never is counted once, as the core believes that it was sent: the other end must find out.
    """

    def disturbed_port(
        core: int, flow: FlowControl, inbox: Inbox, peers: Mapping[int, Any], memory: MemoryLink, row: BoardRow
    ) -> Port:
        course = Course(effects)
        sockets = {peer: DisturbedSocket(socket, course) for peer, socket in peers.items()}
        distant, near = DisturbedInbox(inbox, course, row), DisturbedRow(row, course)
        return ChaosPort(make(core, flow, distant, sockets, memory, near), course)

    return disturbed_port


class Course:
    """Where a core is: how many requests, messages sent and messages taken its effects have seen."""

    def __init__(self, effects: Sequence[Effect]) -> None:
        self._effects = list(effects)
        self._requests = self._sends = self._takes = 0

    def requests(self) -> None:
        """A request is about to begin."""
        number, self._requests = self._requests, self._requests + 1
        for effect in self._effects:
            effect.requests(number)

    def sends(self, header: bytes, payload: Payload) -> list[tuple[bytes, Payload]]:
        """What goes out instead of one message."""
        messages = [(header, payload)]
        for effect in self._effects:
            messages = effect.sends(self._sends, messages)
        self._sends += 1
        return messages

    def takes(self, row: BoardRow) -> bool:
        """A message is about to be acknowledged by the core of `row`; False: it is not."""
        row.runs()  # it does: nobody must take a delay for a core that stands still
        kept = [effect.takes(self._takes) for effect in self._effects]  # all are asked
        self._takes += 1
        return all(kept)


class ChaosPort(PortAround):
    """A port whose requests begin after what disturbs them."""

    def __init__(self, port: Port, course: Course) -> None:
        super().__init__(port)
        self._course = course

    def start(self, request: Request, sample: int) -> bool:
        """Begin the request after what disturbs it; True if it is complete at once; raises PortFault."""
        if not isinstance(
            request, Capture
        ):  # of the observer, not of the program: --keep must not move what is injected
            self._course.requests()
        return self._port.start(request, sample)


class DisturbedSocket:
    """A socket to a peer: messages, a header and a payload each, are disturbed on their way out; syncs are not."""

    def __init__(self, socket: Socket, course: Course) -> None:
        self._socket, self._course = socket, course
        self.recv, self.poll, self.copied = socket.recv, socket.poll, socket.copied
        self._header = b""  # of the message under way

    def send(self, data: Any, flags: int = 0) -> None:
        """Send one frame, a header only with its payload."""
        if flags & MORE:
            self._header = data
            return
        header, self._header = self._header, b""
        if not header:
            self._socket.send(data)
            return
        for head, payload in self._course.sends(header, data):
            self._socket.send(head, MORE)
            self._socket.send(payload)

    def lend(self, data: memoryview) -> None:
        """Send a last frame, copied: what is sent in its place need not stay as it is."""
        self.send(data)


class DisturbedRow:
    """A row of the board whose acknowledgements are disturbed."""

    def __init__(self, row: BoardRow, course: Course) -> None:
        self._row, self._course = row, course

    def __getattr__(self, name: str) -> Any:
        """Whatever else a port needs is the row's own."""
        return getattr(self._row, name)

    def acknowledges(self, peer: int, count: int) -> None:
        """`count` messages of `peer` have been taken."""
        if self._course.takes(self._row):
            self._row.acknowledges(peer, count)


class DisturbedInbox:
    """An inbox whose acknowledgements, those for other machines, are disturbed; refusals, with a payload, are not."""

    def __init__(self, inbox: Inbox, course: Course, row: BoardRow) -> None:
        self._inbox, self._course, self._row = inbox, course, row

    def __getattr__(self, name: str) -> Any:
        """Whatever else a port needs is the inbox's own."""
        return getattr(self._inbox, name)

    def answer(self, core: int, header: bytes, payload: bytes = b"") -> None:
        """Send `header` (and `payload`, if any) back to `core`."""
        if not payload and not self._course.takes(self._row):
            return
        self._inbox.answer(core, header, payload)
