"""What a member of a run says until all may start, without I/O: it says again what was not answered.

A connection can be lost, and with it what was said on it, until the other end has answered; a message library makes it
anew and does not tell. So each word is said until its answer comes, an answer is given as often as it is asked for, and
words that come twice, late or in another order change nothing. Data goes over connections that were answered only.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum

from emu.noc.barrier.barrier import HOST
from emu.noc.wire.frames import FrameHeader, FrameKind, MalformedFrame, decode_control, encode_control, encode_header

NODE = HOST  # in place of a core: the memory node
NOTHING_TAKEN = -1  # the number of the message before the first: a late greeting acknowledges none
Word = tuple[int, tuple[bytes, ...]]  # to whom (a peer that this core sends to, or NODE), and frames


class GreetingStage(Enum):
    """How far a member is: what it has said, and waits to be answered."""

    BINDING = "binding"  # where it listens, and to whom it sends; the table of addresses is the answer
    GREETING = "greeting"  # hello to each of these, who answer alike
    READY = "ready"  # that all have answered; the answer is GO
    STARTED = "started"


class Greeting:
    """The side of member `core` (or HOST), which listens at `endpoint` and sends to `peers`.

    `networked` is false for members that exchange no messages with cores: they are told to start at once.
    """

    def __init__(self, core: int, endpoint: str = "", peers: Collection[int] = (), networked: bool = False) -> None:
        self._networked = networked
        self.stage = GreetingStage.BINDING
        self._bind = encode_header(FrameKind.BIND, core), encode_control([endpoint, list(peers)])
        self._ready = encode_header(FrameKind.READY, core)
        self.hello = encode_header(FrameKind.HELLO, core, NOTHING_TAKEN)  # also what answers one
        self.addresses: dict[int, str] = {}  # of the peers to connect to, once the table is here
        self.incoming: list[int] = []  # cores that will say hello
        self.unanswered: dict[int, None] = {}  # peers that have not answered, in order

    def words(self) -> list[Word]:
        """What is to be said now, and again and again until it is answered."""
        match self.stage:
            case GreetingStage.BINDING:
                return [(NODE, self._bind)]
            case GreetingStage.GREETING:
                return [(peer, (self.hello,)) for peer in self.unanswered]
            case GreetingStage.READY:
                return [(NODE, (self._ready,))]
            case GreetingStage.STARTED:
                return []

    def told(self, header: FrameHeader, payload: bytes = b"") -> bool:
        """The memory node has said something: whether there are new `words`; raises MalformedFrame."""
        if header.kind is FrameKind.TABLE and self._networked:
            if self.stage is not GreetingStage.BINDING:
                return False
            self.addresses, self.incoming = decode_control(payload)
            self.unanswered = dict.fromkeys(self.addresses)
            self.stage = GreetingStage.GREETING if self.addresses else GreetingStage.READY
            return True
        if header.kind is not FrameKind.GO or self.stage in self._too_early:
            raise MalformedFrame(f"the memory node said {header.kind.name} to a member that is {self.stage.value}")
        self.stage = GreetingStage.STARTED
        return False

    def answered(self, peer: int, header: FrameHeader) -> bool:
        """`peer` has said something to a greeting: whether there are new `words`; raises MalformedFrame."""
        if header.kind is not FrameKind.HELLO:
            raise MalformedFrame(f"core {peer} answered a greeting with {header.kind.name}")
        self.unanswered.pop(peer, None)
        if self.stage is not GreetingStage.GREETING or self.unanswered:
            return False
        self.stage = GreetingStage.READY
        return True

    @property
    def _too_early(self) -> Collection[GreetingStage]:
        """Stages in which nobody can start: of networked members, until all have said that they are ready."""
        return (GreetingStage.BINDING, GreetingStage.GREETING) if self._networked else ()
