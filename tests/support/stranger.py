"""A foreign process that attacks every TCP port at which descendants of a process listen.

`python stranger.py PROCESS TOKEN` (hexadecimal) attacks until its standard input ends, then prints JSON: per kind of
attack how often it was tried, and how often it was heard.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import sys
import threading
from collections import Counter
from pathlib import Path

import zmq

LISTEN = "0A"
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"%b" + bytes(32)


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, wave = [], [root]
    while wave:
        wave = [child for parent in wave for child in children.get(parent, ()) if child != os.getpid()]
        found += wave
    return found


def ports_of(processes: list[int]) -> list[int]:
    """TCP ports at 127.0.0.1 at which one of `processes` listens."""
    inodes = set()
    for process in processes:
        with contextlib.suppress(OSError):
            for entry in Path(f"/proc/{process}/fd").iterdir():
                with contextlib.suppress(OSError):
                    inodes.add(entry.readlink().name)
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == LISTEN and f"socket:[{row[9]}]" in inodes]


class Stranger:
    def __init__(self, token: bytes) -> None:
        self.tried: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self._context = zmq.Context()
        self._open: list[socket.socket] = []  # half-open connections
        self._messages = [
            [b"\x97\x01\x04\x00\x00\x00\x00\x00", token],  # HELLO of core 0
            [b"\x97\x01\x04\x01\x00\x00\x00\x00", b"x" * 32],  # HELLO of core 1 with a wrong token
            [b"\x97\x01\x14\x00\x00\x00\x00\x00", b"\x93\xc4\x20" + token + b"\xa0\x90"],  # BIND
            [b"\x97\x01\x00\x00\x00\x00\x04\x00", b"evil"],  # DATA
            [b"\x97\x01\x03\x00\x00\x00\x00\x00"],  # SYNC
            [b"\xff" * 5000],
        ]

    def attack(self, port: int) -> None:
        self._zmq("plain", port, None)
        self._zmq("random key", port, zmq.curve_keypair()[0])
        curve, null = (GREETING % name.ljust(20, b"\0") for name in (b"CURVE", b"NULL"))
        giant = struct.pack(">Q", 1 << 62)
        self._raw("garbage", port, os.urandom(4096))
        self._raw("giant length", port, curve + b"\x06" + giant + bytes(1 << 16))
        self._raw("plausible length", port, curve + b"\x06" + struct.pack(">Q", 1 << 23) + bytes(1 << 20))
        self._raw("old version", port, b"\x01\x00" + b"\xff" + giant + b"\x00" + bytes(1 << 12))
        self._raw("other mechanism", port, null + b"\x04\x05\x05READY" + b"\x00\x04evil")
        self._raw("half open", port, curve[:20], leave=True)

    def _zmq(self, kind: str, port: int, server_key: bytes | None) -> None:
        dealer = self._context.socket(zmq.DEALER)
        dealer.set(zmq.LINGER, 0)
        if server_key is not None:
            public, secret = zmq.curve_keypair()
            dealer.set(zmq.CURVE_SERVERKEY, server_key)
            dealer.set(zmq.CURVE_PUBLICKEY, public)
            dealer.set(zmq.CURVE_SECRETKEY, secret)
        monitor = dealer.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        dealer.connect(f"tcp://127.0.0.1:{port}")
        with contextlib.suppress(zmq.Again):  # a refused connection is gone at once, and then nothing can be sent
            for frames in self._messages:
                dealer.send_multipart(frames, zmq.NOBLOCK)
        self.tried[kind] += 1
        self.heard[kind] += bool(monitor.poll(20)) or bool(dealer.poll(0))
        dealer.disable_monitor()
        monitor.close()
        dealer.close()

    def _raw(self, kind: str, port: int, data: bytes, leave: bool = False) -> None:
        self.tried[kind] += 1
        try:  # not long: once a run has started, nobody answers
            connection = socket.create_connection(("127.0.0.1", port), 0.1)
        except OSError:
            return
        with contextlib.suppress(OSError):
            connection.sendall(data)
            connection.settimeout(0.01)
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
            self.heard[kind] += len(answer) > 64  # more than the greeting that every socket sends
        if leave and len(self._open) < 50:
            self._open.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        for connection in self._open:
            connection.close()
        self._context.destroy(linger=0)


def main() -> None:
    root, stranger = int(sys.argv[1]), Stranger(bytes.fromhex(sys.argv[2]))
    over = threading.Event()
    print("ready", flush=True)
    while not over.is_set():
        for port in ports_of(descendants(root)):
            with contextlib.suppress(OSError, zmq.ZMQError):
                stranger.attack(port)
        if select.select([sys.stdin], [], [], 0.01)[0]:
            over.set()
    stranger.close()
    print(json.dumps({"tried": stranger.tried, "heard": stranger.heard}))


if __name__ == "__main__":
    main()
