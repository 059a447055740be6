"""The address at which the sockets of a run over a network listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emu.errors import InputError, option
from emu.noc.wire.transports import TRANSPORTS, first_transport

if TYPE_CHECKING:
    import ipaddress

LOOPBACK = "127.0.0.1"


def check_bind_address(text: str, transport: str) -> str:
    """`text` (empty: loopback) in its canonical form; raises InputError unless it is an IP address of this machine."""
    if not text:
        return LOOPBACK
    if not TRANSPORTS[transport].network:
        raise InputError(
            f"{option('bind', text)} has no effect with {option('transport', transport)}: add "
            f"{option('transport', first_transport(network=True))}, or leave it out"
        )
    import ipaddress  # not above: every process of a run imports this module, and only this function needs it

    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        raise InputError(
            f"{option('bind')} {text!r} is no IP address: give one of this machine, such as {LOOPBACK}"
        ) from None
    if address.is_unspecified or address.is_multicast or not _is_here(address):
        raise InputError(f"{option('bind')} {text} is no address of this machine: give one that an interface has")
    return str(address)


def _is_here(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether a socket of this machine can listen at `address`."""
    import socket

    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
