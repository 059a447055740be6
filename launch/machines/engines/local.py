"""Agents on this host, over loopback: for tests, and to try what runs on several machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from emu.errors import InputError, option, shown
from emu.noc.wire.bind_address import LOOPBACK
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.engine import Placed
from launch.machines.engines.forks import PlacedForks

_MOST = 1000


@dataclass(frozen=True)
class Local:
    """`count` agents as processes of this host, called local-0, local-1 ..."""

    count: int
    form: ClassVar[str] = "local:N (N agents on this host)"

    @classmethod
    def parse(cls, rest: str) -> Local:
        """Of N; raises InputError."""
        if not rest.isascii() or not rest.isdecimal() or not 0 < int(rest[:9]) <= _MOST:
            raise InputError(f"{option('hosts')} local:{shown(rest)[1:-1]} is not local:N with N from 1 to {_MOST}")
        return cls(int(rest))

    def listen_address(self) -> str:
        """Loopback: nobody elsewhere can reach it."""
        return LOOPBACK

    def place(self, bootstrap: Bootstrap) -> Placed:
        """Start them, of this source tree."""
        names = [f"local-{rank}" for rank in range(self.count)]
        return PlacedForks({name: bootstrap.arguments(rank, name) for rank, name in enumerate(names)}, bootstrap.line())
