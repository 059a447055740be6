"""The table of transports, the ways on which messages travel; network, reports and command line read this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError, option


@dataclass(frozen=True, slots=True)
class Transport:
    """A kind of ZeroMQ endpoint.

    `endpoint` is what a socket binds to, given the run's directory, the socket's name and the address to listen at.
    A `network` has ports that others can reach: its sockets take keys, listen at `--bind`, and are shut.
    """

    title: str  # in reports
    help: str  # of the command line, after "ZeroMQ"
    endpoint: Callable[[Path, str, str], str]
    grace: float  # seconds without any movement after which what is on its way was lost
    network: bool = False


TRANSPORTS = {
    "ipc": Transport(
        title="ZeroMQ ipc",
        help="over Unix sockets (ipc, default)",
        endpoint=lambda directory, name, address: f"ipc://{directory / name}",
        grace=0.5,
    ),
    "tcp": Transport(
        title="ZeroMQ tcp",
        help="over TCP, encrypted,",
        endpoint=lambda directory, name, address: f"tcp://{f'[{address}]' if ':' in address else address}:*",
        grace=2.5,  # TCP may have to send again what the kernel had no room for
        network=True,
    ),
}


def transport_of(name: str) -> Transport:
    """The transport called `name`; raises InputError."""
    if name not in TRANSPORTS:
        raise InputError(f"{option('transport')} {name!r} is unknown: use one of {', '.join(TRANSPORTS)}")
    return TRANSPORTS[name]


def first_transport(network: bool) -> str:
    """The name of the first transport that is a network, or is none: what errors advise to use."""
    return next(name for name, row in TRANSPORTS.items() if row.network is network)
