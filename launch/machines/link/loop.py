"""The thread at a socket of links: moves messages, beats, and notes whose other end is silent."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial

from emu.noc.wire.library import Door, Library, ReceivedFrame, Socket
from launch.machines.link.clock import ListeningClock
from launch.machines.link.end import LinkEnd

BEAT = 0.5  # seconds between two beats
LOOK = 0.1  # seconds between two looks at who is silent
RENEW = 1.0  # seconds of silence after which an end connects anew: TCP would try again later and later
AGAIN = (0.3,) * 6 + (1.0,)  # seconds for a new connection before the next one is tried; the last one counts on
FLUSH = 1.0  # seconds at the end for what was said to be heard
PARTING = 0.1  # seconds at the end for the last frames to leave this process
BATCH = 64  # frames that are read before anything else is done

Greet = Callable[[bytes, memoryview], tuple[LinkEnd | None, bytes]]


class LinkLoop:
    """Serves the ends of links at one socket in a thread of its own, however long their user is busy with other things.

    Beats must come, and what a beat tells must be seen, also while this process computes or waits. Here they have no
    connection of their own: a link whose messages do not come through is of no use. An end that was heard is lost when
    `patience` seconds have passed without a frame from it, of those in which this process ran.

    `door`: the socket listens there, and frames begin with the name of their sender; what an unknown one says first is
    for `greet`, which gives its end (None: it is refused) and the frame that answers. Without a door the socket is
    connected, and has one end, called by the empty name; `connect` makes another one like it.
    """

    def __init__(
        self,
        library: Library,
        socket: Socket,
        patience: float,
        door: Door | None = None,
        greet: Greet | None = None,
        connect: Callable[[], Socket] | None = None,
    ) -> None:
        self._library, self._socket, self._patience, self._door, self._greet = library, socket, patience, door, greet
        self._connect, self._renewed, self._tries = connect, 0.0, 0
        self.ends: dict[bytes, LinkEnd] = {}
        self._saying: deque[bytes] = deque()  # names of ends with something to say
        self._clock, self._next_beat, self._next_look = ListeningClock(), 0.0, 0.0
        self._woken = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closing, self._flush = False, FLUSH
        self._thread = threading.Thread(target=self._run, name="control link", daemon=True)

    def start(self) -> None:
        """Begin; from now on the socket belongs to the thread."""
        self._thread.start()

    def add(self, name: bytes, end: LinkEnd) -> None:
        """Serve `end`, whose other end is called `name`: before the start, or in `greet`."""
        self.ends[name] = end
        end.wake = partial(self._wake_for, name)
        self._saying.append(name)  # what it was told to say before

    def wake(self) -> None:
        """There is something to do."""
        os.eventfd_write(self._woken, 1)

    def _wake_for(self, name: bytes) -> None:
        self._saying.append(name)
        self.wake()

    def close(self, flush: float = FLUSH) -> None:
        """Send what was said, wait up to `flush` seconds until it was heard, and give up the socket."""
        self._closing, self._flush = True, flush
        if self._thread.ident is not None:
            self.wake()
            self._thread.join()
        self._socket.close()
        self._library.close()
        os.close(self._woken)

    def _run(self) -> None:
        try:
            while not self._closing:
                self._turn(LOOK)
            until = time.monotonic() + self._flush
            while time.monotonic() < until and (self._saying or self._unsettled()):
                self._turn(PARTING)
            time.sleep(PARTING if self._flush and self._living() else 0)
        except BaseException as error:
            for end in self.ends.values():
                end.failure = error
                end.notify()

    def _unsettled(self) -> bool:
        """Whether something that was said has not been heard."""
        return any(not end.exchange.settled for end in self._living())

    def _living(self) -> list[LinkEnd]:
        return [end for end in self.ends.values() if not end.lost]

    def _turn(self, most: float) -> None:
        """Wait for what comes first, but not for longer than `most` seconds, and do what there is to do."""
        left = min(most, max(0.0, self._next_beat - self._clock.now))
        ready = self._library.ready([self._socket, self._woken], int(left * 1000) + 1)
        now = self._clock.look()
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self._woken)
        if self._socket in ready:
            self._receive()
        self._send()
        if now >= self._next_look:
            self._next_look = now + LOOK
            self._listen(now)
        if now >= self._next_beat:
            self._next_beat = now + BEAT
            self._beat()

    def _receive(self) -> None:
        heard: dict[bytes, LinkEnd] = {}
        for _ in range(BATCH):
            if not self._socket.poll(0):
                break
            frames = self._socket.recv_frames()
            name = frames[0].bytes if self._door is not None else b""
            if len(frames) == 1 + (self._door is not None) and self._hear(name, frames[-1]):
                heard[name] = self.ends[name]
        for name, end in heard.items():
            self._put(name, end.exchange.beat())
            end.notify()

    def _hear(self, name: bytes, frame: ReceivedFrame) -> bool:
        """Take one frame of the end called `name`: whether there is a new message."""
        end = self.ends.get(name)
        if end is None:
            return self._meet(name, frame)
        if end.lost:  # its user was told, and goes on without it
            return False
        if self._door is not None:
            self._door.proved(frame)
        end.seen, end.last_seen = self._clock.now, time.time()
        heard = end.exchange.hear(frame.buffer)
        for answer in heard.answers:
            self._put(name, answer)
        if heard.message is not None:
            end.inbox.append(heard.message[1:])
        return heard.message is not None

    def _meet(self, name: bytes, frame: ReceivedFrame) -> bool:
        if self._greet is None:
            return False
        end, answer = self._greet(name, frame.buffer)
        if end is None:
            self._put(name, answer)
            return False
        self.add(name, end)
        return self._hear(name, frame)

    def _send(self) -> None:
        while self._saying:
            name = self._saying.popleft()
            end = self.ends[name]
            while end.outbox:
                kind, values = end.outbox.popleft()
                self._put(name, end.exchange.say(kind, values))

    def _listen(self, now: float) -> None:
        for end in self._living():
            silent = 0.0 if end.seen is None else now - end.seen
            if silent > self._patience:
                end.lost = True
                end.notify()
            elif self._connect is not None:
                self._renew(end, silent, now)

    def _renew(self, end: LinkEnd, silent: float, now: float) -> None:
        """Connect anew if nothing comes: what is lost with the old connection is sent again."""
        if silent <= RENEW:
            self._tries = 0
        elif self._connect is not None and (
            not self._tries or now - self._renewed > AGAIN[min(self._tries, len(AGAIN)) - 1]
        ):
            self._renewed, self._tries = now, self._tries + 1
            with contextlib.suppress(OSError):  # there may be no file for it now
                fresh = self._connect()
                self._socket.close()
                self._socket = fresh
            self._put(b"", end.exchange.beat())

    def _beat(self) -> None:
        for name, end in self.ends.items():
            if not end.lost:
                self._put(name, end.exchange.beat())
        if self._door is not None:
            self._door.turn_away(len(self.ends), scarce=False)

    def _put(self, name: bytes, frame: bytes) -> None:
        """Send it; an end that is not connected gets it later, as it will ask for it."""
        if self._door is None:
            self._socket.offer(frame)
        else:
            self._socket.answer(name, frame)
