"""What a machine tells of itself before it takes part in a run, and whether two machines can run one together."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

from emu import DISTRIBUTION
from emu.errors import InputError
from emu.image.version import VERSION
from launch.machines.agreement import own_bits
from launch.machines.route import NoRoute, address_towards
from launch.system.open_files import open_files_limit
from launch.system.process_limits import available_memory

PACKAGES = ("numpy", "pyzmq", "msgpack")
MOST_CPUS, MOST_BYTES, MOST_FILES = 1 << 16, 1 << 60, 1 << 60  # that are believed


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What others ask of a machine; what it does not tell, or nobody would believe, is empty or None.

    address: its own one towards a launcher; cpus: how many a process may use; memory: bytes that can still be had;
    nofile: open files per process, None without a limit, too; versions: name -> version; bits: digests of what it
    computes, see `own_bits`.
    """

    address: str = ""
    cpus: int | None = None
    memory: int | None = None
    nofile: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    bits: Mapping[str, str] = field(default_factory=dict[str, str])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, which `facts_from` reads."""
        return asdict(self)


def versions() -> dict[str, str]:
    """The versions on which it depends whether processes understand each other and compute the same."""
    found = {"emu": DISTRIBUTION, **{name: name for name in PACKAGES}}
    for name, package in found.items():
        try:
            found[name] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[name] = "missing"
    return {**found, "python": platform.python_version(), "images": str(VERSION)}


def machine_facts(towards: str) -> MachineFacts:
    """The facts of this machine, whose address is the one `towards` a launcher (tcp://HOST:PORT); raises InputError."""
    host = towards.removeprefix("tcp://").rpartition(":")[0].strip("[]")
    try:
        address = address_towards(host)
    except NoRoute as error:
        raise InputError(
            f"the launcher's address {towards} cannot be reached from this machine: {error}; check its network"
        ) from None
    return MachineFacts(
        address, len(os.sched_getaffinity(0)), available_memory(), open_files_limit(), versions(), own_bits()
    )


def facts_from(values: Mapping[str, Any]) -> MachineFacts:
    """The facts that another machine, perhaps of another version, tells: each as far as it is of the right kind."""
    address = values.get("address")
    return MachineFacts(
        address if isinstance(address, str) else "",
        _whole(values.get("cpus"), MOST_CPUS) or None,
        _whole(values.get("memory"), MOST_BYTES),
        _whole(values.get("nofile"), MOST_FILES),
        _texts(values.get("versions")),
        _texts(values.get("bits")),
    )


def _whole(value: Any, most: int) -> int | None:
    return value if type(value) is int and 0 <= value <= most else None


def _texts(value: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


def differing(own: Mapping[str, str], others: Mapping[str, str]) -> str:
    """The first version that differs, as a part of a sentence; empty if none does."""
    for name, version in own.items():
        if others.get(name) != version:
            return f"has {name} {others.get(name, 'missing')} and the launcher {version}"
    return ""
