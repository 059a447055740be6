"""The barest stream of messages over loopback to several processes, encrypted as every link between machines is.

As a program it is one of the receivers: it connects, says that it is there, takes messages, and says that it has them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack

import zmq

PIECE = 1_000_000  # bytes
PATIENCE = 60_000  # milliseconds


def raw_stream(receivers: int, pieces: int) -> float:
    """Seconds until `pieces` messages of PIECE bytes, in turns to all `receivers`, have come."""
    public, secret = zmq.curve_keypair()
    with ExitStack() as stack:
        context = stack.enter_context(zmq.Context())
        socket = stack.enter_context(context.socket(zmq.ROUTER))
        socket.curve_server, socket.curve_publickey, socket.curve_secretkey = True, public, secret
        socket.linger, socket.sndhwm, socket.rcvtimeo = 0, 0, PATIENCE
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        shares = [len(range(k, pieces, receivers)) for k in range(receivers)]
        for share in shares:
            command = [sys.executable, "-P", __file__, f"tcp://127.0.0.1:{port}", public.decode(), str(share)]
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.kill)
        names = [socket.recv_multipart()[0] for _ in shares]
        payload = bytes(PIECE)
        began = time.perf_counter()
        for piece in range(pieces):
            socket.send_multipart((names[piece % receivers], payload), copy=False)
        for _ in names:
            socket.recv_multipart()
        return time.perf_counter() - began


def _receive(endpoint: str, server: str, pieces: int) -> None:
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
        socket.curve_serverkey = server.encode()
        socket.rcvhwm, socket.rcvtimeo = 0, PATIENCE
        socket.connect(endpoint)
        socket.send(b"")
        for _ in range(pieces):
            socket.recv(copy=False)
        socket.send(b"")


if __name__ == "__main__":
    _receive(sys.argv[1], sys.argv[2], int(sys.argv[3]))
