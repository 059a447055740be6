"""The address that this machine has on its way to another one."""

from __future__ import annotations

import socket

_PORT = 9  # any: nothing is sent


class NoRoute(Exception):
    """Why there is no way, as a part of a sentence."""


def address_towards(host: str) -> str:
    """The IP address from which the kernel would send to `host`, a name or address; IPv4 if there is a choice.

    Raises NoRoute.
    """
    why: object = "it has no address"
    try:
        known = socket.getaddrinfo(host, _PORT, type=socket.SOCK_DGRAM)
    except (OSError, UnicodeError) as error:
        known, why = [], getattr(error, "strerror", None) or error
    for family, kind, _, _, address in sorted(known, key=lambda one: one[0] != socket.AF_INET):
        try:
            with socket.socket(family, kind) as probe:
                probe.connect(address)  # of datagrams: nothing is sent
                return str(probe.getsockname()[0]).partition("%")[0]
        except OSError as error:
            why = error.strerror
    raise NoRoute(why)
