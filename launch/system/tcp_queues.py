"""What sockets have sent and the other end has not acknowledged: bytes on their way, or before a link that is cut."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

TABLES = ("tcp", "tcp6")  # of the kernel: address, state, queues and inode of each socket
_QUEUES, _INODE = 4, 9  # columns


def sending(processes: Iterable[int]) -> bool:
    """Whether a TCP socket of `processes`, which are of one network, holds bytes that have not arrived yet."""
    own = list(processes)
    waiting = {inode for process in own[:1] for inode in _waiting(process)}
    return bool(waiting) and any(not waiting.isdisjoint(_sockets(process)) for process in own)


def _waiting(process: int) -> Iterator[str]:
    """The inodes of all sockets in the network of `process` with bytes that were not acknowledged."""
    for table in TABLES:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]:
                fields = line.split()
                if int(fields[_QUEUES].partition(":")[0], 16):
                    yield fields[_INODE]


def _sockets(process: int) -> Iterator[str]:
    """The inodes of the sockets of `process`; none if it is gone."""
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                kind, _, inode = str(entry.readlink()).partition(":")
                if kind == "socket":
                    yield inode.strip("[]")
