"""Which address of this host others reach it at."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

from emu.errors import InputError, option, shown

_PORT = 9  # any: nothing is sent


def address_towards(hosts: Iterable[str]) -> str:
    """The IP address that this host has on its way to `hosts` (names or addresses); raises InputError.

    That of the first one that is elsewhere: who is on this host reaches it, too. Loopback if all are on this host.
    """
    found = ""
    for host in hosts:
        found = _source_towards(host)
        if not ipaddress.ip_address(found).is_loopback:
            return found
    return found


def _source_towards(host: str) -> str:
    """The address from which the kernel would send to `host`; IPv4 if there is a choice."""
    why: object = "it has no address"
    try:
        known = socket.getaddrinfo(host, _PORT, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        known, why = [], getattr(error, "strerror", None) or error
    for family, kind, _, _, address in sorted(known, key=lambda one: one[0] != socket.AF_INET):
        with socket.socket(family, kind) as probe:
            try:
                probe.connect(address)
            except OSError as error:
                why = error.strerror
            else:
                return probe.getsockname()[0].partition("%")[0]
    raise InputError(
        f"host {shown(host)} of {option('hosts')} cannot be reached: {why}; give a name or address that this host knows"
    )
