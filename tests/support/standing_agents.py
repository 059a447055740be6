"""A launcher for agents that only stand for one: who has joined, and how they are told to end."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zmq

from launch.machines.bootstrap import Bootstrap

PROGRAM = Path(__file__).with_name("standing_agent.py")


class Standing(Bootstrap):
    """What starts a program that stands for an agent; made by its name in workers of Dask, too."""

    def command(self, rank: int | None = None, name: str = "", python: str = sys.executable) -> list[str]:
        return [python, "-I", "-S", str(PROGRAM), *super().command(rank, name, python)[5:]]


class Failing(Standing):
    """What makes a task of Dask fail that is given it."""

    def command(self, rank: int | None = None, name: str = "", python: str = sys.executable) -> list[str]:
        raise RuntimeError("no command today")


class Joined:
    """An agent that has joined: what it said, and the line to it."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        link.settimeout(10)
        self.said: dict[str, Any] = json.loads(link.makefile().readline())

    def told(self, **order: Any) -> None:
        self._link.sendall(json.dumps(order).encode() + b"\n")

    def kill(self) -> None:
        os.kill(self.said["pid"], signal.SIGKILL)

    def close(self) -> None:
        self._link.close()


class Launcher:
    """Listens at an address; a context manager that leaves its agents alone at the end."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self._socket = socket.create_server((address, 0))
        self._socket.settimeout(20)
        self._joined: list[Joined] = []
        port = self._socket.getsockname()[1]
        self.bootstrap = Standing.fresh(f"tcp://{address}:{port}", zmq.curve_keypair()[0].decode())

    def wait_for(self, count: int) -> list[Joined]:
        """So many further agents, by rank."""
        found = [Joined(self._socket.accept()[0]) for _ in range(count)]
        self._joined += found
        return sorted(found, key=lambda one: one.said["rank"])

    def __enter__(self) -> Launcher:
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self._joined, self._socket):
            one.close()


def until(true: Callable[[], Any], seconds: float = 10) -> Any:
    """What `true` gives, as soon as that is true."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"still not so after {seconds} s"
        time.sleep(0.01)
    return found
