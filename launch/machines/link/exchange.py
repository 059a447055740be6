"""Both directions of a link as one of its ends sees them: pure, without socket, with any clock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from launch.machines.link.messages import Beat, Message, decode_frame, encode_beat, encode_message
from launch.processes.other_clock import OtherClock


class Heard(NamedTuple):
    """What came of a frame: a new message, frames to send at once."""

    message: Message | None = None
    answers: tuple[bytes, ...] = ()


class Exchange:
    """Delivers each message once and in order, whatever is lost, doubled or late, as long as beats come through.

    A message is kept until the other end says that it has heard it. An end that misses one drops those behind it, and
    when a beat tells of them asks for all that it misses. It asks anew if a beat still tells of more than it has heard
    although the other end has served all that was asked: within a connection that beat comes behind what was served.

    Beats tell, too, what the other end's `clock` shows when `monotonic` (ns) is the time here.
    """

    def __init__(self, asked: int = 0, monotonic: Callable[[], int] = time.monotonic_ns) -> None:
        """With `asked` 1, ask for all from the first message on: who says it may be known only by it."""
        self.clock, self._monotonic = OtherClock(), monotonic
        self._echo = self._echoed = 0  # what the last beat says of its time; when it was heard
        self._said = self._heard = 0
        self._asked, self._served = asked, 0
        self._unheard: deque[tuple[int, bytes]] = deque()

    @property
    def settled(self) -> bool:
        """Whether the other end has heard all that was said."""
        return not self._unheard

    def say(self, kind: str, values: dict[str, Any]) -> bytes:
        """The frame of a new message."""
        self._said += 1
        frame = encode_message(Message(self._said, kind, values))
        self._unheard.append((self._said, frame))
        return frame

    def beat(self) -> bytes:
        """The frame of a beat, which is an acknowledgement, too."""
        now = self._monotonic()
        held = now - self._echoed if self._echo else 0
        return encode_beat(Beat(self._said, self._heard, self._asked, self._served, now, self._echo, held))

    def hear(self, frame: bytes | memoryview) -> Heard:
        """Take a frame that has come; one that is damaged counts as lost."""
        match decode_frame(frame):
            case Beat() as beat:
                return Heard(answers=self._beaten(beat))
            case Message() as message if message.number == self._heard + 1:
                self._heard += 1
                return Heard(message)
            case _:
                return Heard()

    def _beaten(self, beat: Beat) -> tuple[bytes, ...]:
        self._echo, self._echoed = beat.now, self._monotonic()
        self.clock.heard(beat.now, beat.echo, beat.held, self._echoed)
        while self._unheard and self._unheard[0][0] <= beat.heard:
            self._unheard.popleft()
        answers: list[bytes] = []
        if beat.asked > self._served:
            self._served = beat.asked
            answers += [frame for _, frame in self._unheard]
        if beat.said > self._heard and beat.served >= self._asked:
            self._asked += 1
            answers.append(self.beat())
        return tuple(answers)
