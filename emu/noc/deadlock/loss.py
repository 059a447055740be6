"""Lost messages, acknowledgements and syncs: one end has sent them, and the other end never got them."""

from __future__ import annotations

from dataclasses import dataclass

from emu.noc.deadlock.place import ProgramPlace
from emu.noc.deadlock.waitfor import Blocked, Direction


@dataclass(frozen=True, slots=True)
class Loss:
    """`waiting` waits for something that its peer has sent; `index` in it counts the messages of the pair.

    `peer_place` is where the peer stands: None if it has not begun, and for syncs, which may come from anyone.
    """

    waiting: Blocked
    peer_place: ProgramPlace | None

    def __str__(self) -> str:
        edge = self.waiting
        text = _TEXTS[edge.direction].format(core=edge.core, peer=edge.peer, index=edge.index, at=edge.place)
        return text + (f" and stands at {self.peer_place}" if self.peer_place else "")


_TEXTS = {
    Direction.SEND: "the acknowledgement of message {index} from core {core} to core {peer} was lost: "
    "core {core} waits for it at {at}; core {peer} has taken the message",
    Direction.RECV: "message {index} from core {peer} to core {core} was lost: "
    "core {core} waits for it at {at}; core {peer} has sent it",
    Direction.WAIT: "a sync to core {core} was lost: "
    "it waits for event {index} at {at}, and fewer syncs came than were sent to it",
}
