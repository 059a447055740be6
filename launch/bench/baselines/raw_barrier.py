"""The barest start of many processes: fork, connect to one ROUTER, wait until all are there.

Processes that are `reachable` also bind a socket of their own, as every core must that is to receive messages, and
say where it is.

As a program it is the fresh interpreter that forks, with NumPy and pyzmq imported, as every core needs them: it prints
a line when all are ready, and ends with its input.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial

import numpy as np  # noqa: F401  # part of what is measured
import zmq


def raw_barrier(processes: int, reachable: bool) -> float:
    """Seconds from nothing until `processes` are connected, interpreter start included."""
    began = time.perf_counter()
    command = [sys.executable, __file__, str(processes), str(int(reachable))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        parent.stdout.readline()
        ready = time.perf_counter() - began
        parent.stdin.close()
        parent.wait()
    return ready


def _parent(processes: int, reachable: bool) -> None:
    """Fork, gather, release; wait for the end of standard input; kill.

    The ROUTER lives in a process of its own, as ZeroMQ must not be used before the fork.
    """
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as directory:
        endpoint = f"ipc://{directory}/raw"
        reader, writer = os.pipe()
        children = [_fork(lambda: _gather(processes, endpoint, writer))]
        os.close(writer)
        with os.fdopen(reader) as pipe:
            bound = pipe.readline().rstrip()
            own = [f"ipc://{directory}/{k}" if reachable else "" for k in range(processes)]
            children += [_fork(partial(_join, bound, endpoint)) for endpoint in own]
            pipe.readline()
        print("ready", flush=True)
        sys.stdin.read()
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)


def _fork(work: object) -> int:
    child = os.fork()
    if not child:
        assert callable(work)
        work()
        signal.pause()
    return child


def _gather(processes: int, endpoint: str, writer: int) -> None:
    socket = zmq.Context().socket(zmq.ROUTER)
    socket.set(zmq.BACKLOG, 4096)
    socket.set(zmq.SNDHWM, 0)
    socket.bind(endpoint)
    os.write(writer, socket.get(zmq.LAST_ENDPOINT).rstrip(b"\0") + b"\n")
    identities = [socket.recv_multipart()[0] for _ in range(processes)]
    for identity in identities:
        socket.send_multipart([identity, b"go"])
    os.write(writer, b"ready\n")


def _join(parent: str, own: str) -> None:
    """Meet the others at `parent`; with an endpoint of its `own`, be reachable there."""
    context, here = zmq.Context(), b"here"
    if own:
        mine = context.socket(zmq.ROUTER)
        mine.bind(own)
        here = mine.get(zmq.LAST_ENDPOINT)
    socket = context.socket(zmq.DEALER)
    socket.connect(parent)
    socket.send(here)
    socket.recv()
    signal.pause()


if __name__ == "__main__":
    _parent(int(sys.argv[1]), sys.argv[2] == "1")
