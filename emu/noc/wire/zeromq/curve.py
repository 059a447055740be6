"""CURVE keys of one run over TCP: without them, nobody completes a handshake with any socket of the run."""

from __future__ import annotations

from dataclasses import dataclass, field

import zmq

from emu.errors import InputError, option
from emu.noc.wire.transports import first_transport


@dataclass(frozen=True, slots=True)
class Keys:
    """One pair of keys for all listening sockets, one for all that connect (Z85 text); never shown, never on disk.

    The server's public key is as secret as the others: the first step of the handshake proves that a client knows it.
    """

    server_public: bytes = field(repr=False)
    server_secret: bytes = field(repr=False)
    client_public: bytes = field(repr=False)
    client_secret: bytes = field(repr=False)

    def serve(self, socket: zmq.Socket[bytes]) -> None:
        """Make `socket`, before it is bound, refuse all who do not know the server's public key."""
        socket.set(zmq.CURVE_SERVER, 1)
        socket.set(zmq.CURVE_SECRETKEY, self.server_secret)

    def join(self, socket: zmq.Socket[bytes]) -> None:
        """Make `socket`, before it is connected, a client of the listening sockets of the run."""
        socket.set(zmq.CURVE_SERVERKEY, self.server_public)
        socket.set(zmq.CURVE_PUBLICKEY, self.client_public)
        socket.set(zmq.CURVE_SECRETKEY, self.client_secret)


def fresh_keys() -> Keys:
    """New keys; raises InputError if this machine's ZeroMQ has no CURVE."""
    if not zmq.has("curve"):
        raise InputError(
            f"{option('transport', first_transport(network=True))} needs ZeroMQ with CURVE, which this one lacks: use "
            f"{option('transport', first_transport(network=False))}"
        )
    return Keys(*zmq.curve_keypair(), *zmq.curve_keypair())
