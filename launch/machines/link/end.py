"""One end of a link, as the thread sees it that uses it: messages go out by kind, and come in to who asked for them."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from launch.machines.link.exchange import Exchange
from launch.system.readable import readable

ASK, ANSWER = "ASK", "ANSWER"  # kinds of questions and their answers
Handler = Callable[..., None]  # called with the values of a message, by name


class LinkEnd:
    """The end of a link to one other process; `pump` calls handlers, `descriptor` is readable when there is need of it.

    A thread of the loop moves what is said and heard between the two queues and the socket. Handlers are called in the
    thread that pumps or asks, one at a time.
    """

    def __init__(self, exchange: Exchange | None = None) -> None:
        self.exchange = exchange or Exchange()
        self.outbox: deque[tuple[str, dict[str, Any]]] = deque()
        self.inbox: deque[tuple[str, dict[str, Any]]] = deque()
        self.seen: float | None = None  # time of the loop's clock when the other end was heard last
        self.last_seen = time.time()  # the same as a time of day
        self.lost = False  # the other end was silent for too long
        self.failure: BaseException | None = None  # why the loop has ended before its time
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self.wake: Callable[[], None] = lambda: None  # of the loop, once it serves this end
        self._lock = threading.RLock()
        self._handlers: dict[str, Handler] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self._asked = 0
        self.on(ANSWER, self._answered)

    def send(self, kind: str, **values: Any) -> None:
        """Send a message of plain values; it arrives once, behind those before it, unless the other end is lost."""
        self.outbox.append((kind, values))
        self.wake()

    def on(self, kind: str, handler: Handler) -> None:
        """From now on `pump` calls `handler` with the values of each message of this kind, by name."""
        self._handlers[kind] = handler

    def pump(self) -> None:
        """Call the handlers of all messages that have come; never blocks. Messages that nobody handles are dropped."""
        with self._lock:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self.descriptor)
            if self.failure is not None:
                raise RuntimeError("the control link has failed") from self.failure
            while self.inbox:
                kind, values = self.inbox.popleft()
                if handler := self._handlers.get(kind):
                    handler(**values)

    def wait(self, seconds: float) -> None:
        """Block until there is something to pump, or the time is over."""
        readable(self.descriptor, max(0.0, seconds))

    def ask(self, what: str, seconds: float, **values: Any) -> Any:
        """The answer of the other end to the question `what`; None if it does not come in time.

        Other messages are handled meanwhile.
        """
        with self._lock:
            self._asked += 1
            self.send(ASK, number=self._asked, what=what, values=values)
            until = time.monotonic() + seconds
            while self._asked not in self._answers and not self.lost and (left := until - time.monotonic()) > 0:
                self.wait(left)
                self.pump()
            return self._answers.pop(self._asked, {}).get("answer")

    def answers(self, questions: dict[str, Callable[..., Any]]) -> None:
        """From now on answer questions by the function of each, called with its values by name."""

        def asked(number: int, what: str, values: dict[str, Any]) -> None:
            self.send(ANSWER, number=number, answer=questions[what](**values) if what in questions else None)

        self.on(ASK, asked)

    def _answered(self, number: int, answer: Any) -> None:
        if number == self._asked:  # any other was given up
            self._answers = {number: {"answer": answer}}

    def notify(self) -> None:
        """There is need of `pump`: wake who waits for that."""
        os.eventfd_write(self.descriptor, 1)

    def close(self) -> None:
        """Give its descriptor back, once no loop knows it any more."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
