"""What the network asks of a message library, and the little that it does not need to do itself.

A message is a few frames of bytes. A *listening* socket takes messages of many members, and knows each by the name with
which it has connected; a *connected* socket has one listening socket at its other end. Between two sockets, messages
arrive whole and in order, or not at all. Sending never waits: what was sent goes on while its process does other work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

MORE = 2  # flag of a frame that another frame of its message follows
LARGE = 1 << 17  # bytes from which a copy costs more than an extra call and an extra turn


class ReceivedFrame(Protocol):
    """A frame that has come."""

    @property
    def buffer(self) -> memoryview:
        """Its bytes, in place."""
        ...

    @property
    def bytes(self) -> bytes:
        """A copy of its bytes."""
        ...

    def __len__(self) -> int: ...


Payload = memoryview | bytes | ReceivedFrame  # what can be sent


class Socket(Protocol):
    """An end of connections; used by one thread."""

    def send(self, data: Payload, flags: int = 0) -> object:
        """Send one frame, copied; with MORE further ones follow. A listening socket names the receiver first."""
        ...

    def send_multipart(self, frames: Sequence[Payload]) -> object:
        """Send all frames of one message."""
        ...

    def lend(self, data: memoryview) -> object:
        """Send a last frame, large and contiguous, which stays as it is until the receiver has said that it took it."""
        ...

    def copied(self, data: memoryview) -> Payload:
        """A copy of a large frame that is sent later, in the form which needs no second copy."""
        ...

    def answer(self, name: bytes, *frames: Payload) -> None:
        """Send a message to the member called `name`; if it is gone, nothing."""
        ...

    def offer(self, frame: Payload) -> None:
        """Send a message of one frame; if there is no connection to take it, nothing. Never blocks."""
        ...

    def poll(self, timeout: int | None = None) -> int:
        """Whether a message is there, waiting for it up to `timeout` milliseconds (None: for ever)."""
        ...

    def recv(self) -> bytes:
        """Block for the next frame. Of a listening socket, the first of each message is the name of its sender."""
        ...

    def recv_into(self, buffer: memoryview | bytearray) -> int:
        """Block for the next frame, and put what fits into `buffer`: the bytes that the frame has."""
        ...

    def recv_frame(self) -> ReceivedFrame:
        """Block for the next frame, which is not copied."""
        ...

    def recv_frames(self) -> list[ReceivedFrame]:
        """Block for all frames of a message, which are not copied."""
        ...

    @property
    def more(self) -> bool:
        """Whether the message of the frame received last has further ones."""
        ...

    def close(self) -> None:
        """Close it; waits for nothing."""
        ...


Source = TypeVar("Source", bound=Socket | int)


class Door:
    """Who comes in at a listening socket, whose address is `endpoint`.

    Here nobody comes who must not; libraries that listen where others can connect have their own, and `strangers`.
    """

    strangers = False

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def proved(self, frame: ReceivedFrame) -> None:
        """`frame` came from a member of the run, and so does whatever comes over its connection."""

    def turn_away(self, expected: int | None, scarce: bool) -> None:
        """Close what is too much, beside the `expected` connections of peers (None: nobody knows yet how many).

        If files are `scarce`, all that have proved nothing since the last look are too much.
        """

    def shut(self) -> None:
        """Let no further connection come, and close those that have proved nothing; the others stay."""


class Library(Protocol):
    """What one process has of a message library; made after the fork, for about so many `connections`.

    `keys` are what `fresh_keys` has made for the run: whoever lacks them must not take part.
    """

    def __init__(self, connections: int = 0) -> None: ...

    def listen(self, endpoint: str, network: bool, largest: int, keys: Sequence[bytes]) -> tuple[Socket, Door]:
        """A socket that listens at `endpoint`, and its door; frames of much more than `largest` bytes are refused.

        `network`: others than this run's processes can reach it.
        """
        ...

    def connect(self, endpoint: str, name: bytes, keys: Sequence[bytes] = ()) -> Socket:
        """A socket connected to `endpoint`, where it is known by `name`; it may listen later. Raises OSError."""
        ...

    def close(self) -> None:
        """Give up what this process has of the library, once its sockets are closed."""
        ...

    @staticmethod
    def ready(sources: Sequence[Source], timeout: int) -> list[Source]:
        """Those of `sources`, sockets and descriptors, that can be read within `timeout` milliseconds."""
        ...

    @staticmethod
    def fresh_keys() -> tuple[bytes, ...]:
        """New keys of a run over a network; raises InputError if there can be none."""
        ...

    @staticmethod
    def guest_keys(first: bytes) -> tuple[bytes, ...]:
        """Keys with which a process connects that was told no more than the `first` of the listener's keys."""
        ...
