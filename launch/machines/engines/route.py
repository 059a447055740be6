"""Which address of this host agents on others reach it at."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from emu.errors import InputError, option, shown
from launch.machines.route import NoRoute, address_towards


def address_towards_all(hosts: Iterable[str]) -> str:
    """The IP address that this host has on its way to `hosts` (names or addresses); raises InputError.

    That of the first one that is elsewhere: who is on this host reaches it, too. Loopback if all are on this host.
    """
    found = ""
    for host in hosts:
        try:
            found = address_towards(host)
        except NoRoute as error:
            raise InputError(
                f"host {shown(host)} of {option('hosts')} cannot be reached: {error}; give a name or address that this "
                "host knows"
            ) from None
        if not ipaddress.ip_address(found).is_loopback:
            return found
    return found
