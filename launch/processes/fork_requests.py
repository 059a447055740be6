"""Messages between the launcher and the fork server: plain JSON with descriptors, each of which fits one packet.

A request comes over one socket for all runs. The answer, and later the exit status, go over a channel of the run, which
is among the descriptors of the request.
"""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KIND = socket.SOCK_SEQPACKET  # a message is read as it was written: whole, with its descriptors
MAX_BYTES = 1 << 16  # of a message
MAX_DESCRIPTORS = 64  # of a message


@dataclass(frozen=True, slots=True)
class ForkRequest:
    """The request for a process: descriptors to inherit, and directories to remove at its end (an empty name is none).

    `work`, as module:function, is what it does: given the request, it returns the exit status. `life_line`, `output`
    and `errors` become its standard streams, `place` (a directory) its working directory, and `channel` is where its
    parent reports its end. It gets the signal `ending` when it is no longer needed. The server imports the modules
    `needed` before, if it can, so that this process and all later ones have them. `arguments` are for `work`.
    """

    life_line: int
    output: int
    errors: int
    place: int
    channel: int
    inherited: tuple[int, ...]
    directories: tuple[str, ...]
    work: str = "launch.processes.zygote:serve_forked"
    ending: signal.Signals = signal.SIGKILL
    needed: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """All descriptors, in the order in which they are sent."""
        return (self.life_line, self.output, self.errors, self.place, self.channel, *self.inherited)


OWN = 5  # descriptors of every request
LISTS = ("directories", "needed", "arguments")  # its lists of texts


def send_request(connection: socket.socket, request: ForkRequest) -> None:
    """Request a process; raises OSError if no server listens."""
    send(connection, {name: getattr(request, name) for name in (*LISTS, "work", "ending")}, request.descriptors)


def receive_request(connection: socket.socket) -> ForkRequest | None:
    """The next request; None if it is malformed. Raises EOFError at the end."""
    values, descriptors = receive(connection)
    work, ending, lists = values.get("work"), values.get("ending"), {name: values.get(name) for name in LISTS}
    texts = isinstance(work, str) and all(
        isinstance(texts, list) and all(isinstance(text, str) for text in texts) for texts in lists.values()
    )
    if not texts or ending not in (signal.SIGKILL, signal.SIGTERM) or len(descriptors) < OWN:
        close_all(descriptors)
        return None
    return ForkRequest(
        *descriptors[:OWN],
        inherited=tuple(descriptors[OWN:]),
        work=str(work),
        ending=signal.Signals(ending),
        **{name: tuple(texts or ()) for name, texts in lists.items()},
    )


def send(connection: socket.socket, values: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
    """Send plain values and descriptors in one message."""
    data = json.dumps(values).encode()
    assert len(data) <= MAX_BYTES and len(descriptors) <= MAX_DESCRIPTORS, "a message must fit"
    socket.send_fds(connection, [data], list(descriptors))


def receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Values and descriptors of the next message, empty if it is truncated or malformed; raises EOFError at the end."""
    try:
        data, descriptors, flags, _ = socket.recv_fds(connection, MAX_BYTES, MAX_DESCRIPTORS, socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        raise EOFError from None
    if not data:
        raise EOFError
    try:
        values = json.loads(data)
    except ValueError:
        values = None
    if not isinstance(values, dict) or flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        close_all(descriptors)
        return {}, []
    return values, descriptors


def close_all(descriptors: Sequence[int]) -> None:
    """Close descriptors."""
    for descriptor in descriptors:
        os.close(descriptor)
