"""What a machine tells of itself before it takes part in a run, and whether two machines can run one together."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from emu import DISTRIBUTION
from emu.errors import InputError
from emu.image.version import VERSION
from launch.machines.agreement import own_bits
from launch.system.open_files import open_files_limit
from launch.system.process_limits import available_memory

PACKAGES = ("numpy", "pyzmq", "msgpack")


def versions() -> dict[str, str]:
    """The versions on which it depends whether processes understand each other and compute the same."""
    found = {"emu": DISTRIBUTION, **{name: name for name in PACKAGES}}
    for name, package in found.items():
        try:
            found[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[name] = "missing"
    return {**found, "python": platform.python_version(), "images": str(VERSION)}


def machine_facts(towards: str) -> dict[str, Any]:
    """All that others ask of this machine, as plain values.

    versions: name -> version; address: its own one `towards` a launcher (tcp://HOST:PORT); cpus: how many this process
    may use; memory: bytes that can still be had; nofile: open files per process, None without a limit; bits: digests of
    what it computes, see `own_bits`.
    """
    return {
        "versions": versions(),
        "address": address_towards(towards),
        "cpus": len(os.sched_getaffinity(0)),
        "memory": available_memory(),
        "nofile": open_files_limit(),
        "bits": own_bits(),
    }


def address_towards(endpoint: str) -> str:
    """The IP address of this machine from which tcp://HOST:PORT is reached; raises InputError if there is no way."""
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)
    except OSError as error:
        raise InputError(f"the launcher's address {endpoint} cannot be resolved: {error.strerror}") from None
    for family, kind, protocol, _, address in found:
        with contextlib.suppress(OSError), socket.socket(family, kind, protocol) as probe:
            probe.connect(address)  # of datagrams: nothing is sent
            return str(probe.getsockname()[0])
    raise InputError(f"this machine has no route to the launcher's address {endpoint}: check its network")


def differing(own: Mapping[str, str], others: Mapping[str, str]) -> str:
    """The first version that differs, as a part of a sentence; empty if none does."""
    for name, version in own.items():
        if others.get(name) != version:
            return f"has {name} {others.get(name, 'missing')} and the launcher {version}"
    return ""
