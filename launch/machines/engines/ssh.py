"""Agents on hosts that `ssh` reaches without a question: keys, users, jumps and names as its configuration says."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from emu.errors import InputError, option, shown
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.engine import Placed
from launch.machines.engines.route import address_towards_all
from launch.machines.engines.started import PlacedProcesses

# No question, no terminal, and nothing of what a user forwards for sessions of his own.
_SSH = ["ssh", "-T", "-a", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ClearAllForwardings=yes"]
_HOST = re.compile(r"[A-Za-z0-9_:][A-Za-z0-9_.:@%-]{0,252}", re.ASCII)
# The interpreter that runs here, where that is installed at the same place there; else the one that the other host has.
_THERE = 'python=$1; shift; [ -x "$python" ] || python=python3; exec "$python" "$@"'
_SECONDS = 10


@dataclass(frozen=True)
class Ssh:
    """One agent on each of `hosts`: names, addresses, or entries of the configuration of ssh; USER@HOST, too."""

    hosts: Sequence[str]
    form: ClassVar[str] = "HOST,HOST,... (by ssh)"

    @classmethod
    def parse(cls, rest: str) -> Ssh:
        """Of names of hosts with commas between them; raises InputError."""
        hosts = [host.strip() for host in rest.split(",")]
        given = f"{option('hosts')} {shown(rest)}"
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise InputError(
                    f"{given}: {shown(host)} is no name of a host; use HOST,HOST,... or the name of an engine"
                )
            if hosts.count(host) > 1:
                raise InputError(f"{given} has host {host} twice: a host takes one agent")
        return cls(hosts)

    @property
    def count(self) -> int:
        """One for each host."""
        return len(self.hosts)

    def listen_address(self) -> str:
        """The address on the way to the hosts, whatever names ssh has for them."""
        return address_towards_all(map(_hostname, self.hosts))

    def place(self, bootstrap: Bootstrap) -> Placed:
        """Start them; what ssh or a host says against it is told by `ended`."""
        commands = {
            host: [*_SSH, host, shlex.join(["/bin/sh", "-c", _THERE, "sh", *bootstrap.command(rank, host)])]
            for rank, host in enumerate(self.hosts)
        }
        return PlacedProcesses(commands, bootstrap.line())


def _hostname(host: str) -> str:
    """What the configuration of ssh calls `host`; itself, if ssh does not tell."""
    try:
        done = subprocess.run(
            ["ssh", "-G", host], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or "it does not answer"
        raise InputError(f"{option('hosts')} {host} needs the command ssh, which cannot be run here: {why}") from None
    found = re.search(rb"^hostname (\S+)$", done.stdout, re.MULTILINE)
    return found[1].decode(errors="replace") if found else host.rpartition("@")[2]
