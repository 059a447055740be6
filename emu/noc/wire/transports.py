"""The table of transports, the ways on which messages travel; network, reports and command line read this table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from emu.errors import InputError, option

if TYPE_CHECKING:
    from emu.noc.wire.library import Library

ZEROMQ = "emu.noc.wire.zeromq.library:ZeroMq"


@dataclass(frozen=True, slots=True)
class Transport:
    """A kind of endpoints of a message library.

    `carrier` is the `Library`, as module:class, imported when it is used. `endpoint` is where a socket listens, given
    the run's directory, the socket's name and the address to listen at. A `network` has ports that others can reach:
    its sockets take keys, listen at `--bind`, and are shut.
    """

    title: str  # in reports
    help: str  # of the command line
    carrier: str
    endpoint: Callable[[Path, str, str], str]
    grace: float  # seconds without any movement after which what is on its way was lost
    network: bool = False

    @property
    def library(self) -> type[Library]:
        """The message library that carries it."""
        module, _, name = self.carrier.partition(":")
        found: type[Library] = getattr(import_module(module), name)
        return found


TRANSPORTS = {
    "ipc": Transport(
        title="ZeroMQ ipc",
        help="over Unix sockets (ipc, default)",
        carrier=ZEROMQ,
        endpoint=lambda directory, name, address: f"ipc://{directory / name}",
        grace=0.5,
    ),
    "tcp": Transport(
        title="ZeroMQ tcp",
        help="over TCP, encrypted,",
        carrier=ZEROMQ,
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
