"""An engine for tests: a test starts the agents itself, each behind a proxy, in a way that it likes.

What the launcher and the test tell each other are files of one folder: `bootstrap`, and the numbers of `agents`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from emu.noc.wire.bind_address import LOOPBACK
from launch.machines.bootstrap import Bootstrap
from launch.machines.engines import table
from launch.machines.engines.engine import Placed
from launch.system.process_state import alive

HOSTS = 4
NAMES = [f"h{rank}" for rank in range(HOSTS)]
BOOTSTRAP, AGENTS = "bootstrap", "agents"


@dataclass(frozen=True)
class Staged:
    """`staged:FOLDER`: four agents, whoever starts them."""

    folder: Path
    count: ClassVar[int] = HOSTS
    form: ClassVar[str] = "staged:FOLDER"

    @classmethod
    def parse(cls, rest: str) -> Staged:
        return cls(Path(rest))

    def listen_address(self) -> str:
        return LOOPBACK

    def place(self, bootstrap: Bootstrap) -> Placed:
        write(self.folder / BOOTSTRAP, f"{bootstrap.address} {bootstrap.line().decode()}")
        return StagedAgents(self.folder)


class StagedAgents(Placed):
    names = NAMES

    def __init__(self, folder: Path) -> None:
        self._agents = folder / AGENTS

    def ended(self) -> list[tuple[str, str]]:
        numbers = map(int, self._agents.read_text().split()) if self._agents.exists() else ()
        gone = [name for name, number in zip(NAMES, numbers, strict=False) if not alive(number)]
        return [(name, f"the agent of host {name} has ended") for name in gone]

    def close(self) -> None:
        """They end by themselves, whatever happens."""


def bootstrap_of(folder: Path) -> Bootstrap | None:
    """What the launcher has written; None as long as it has not."""
    path = folder / BOOTSTRAP
    return Bootstrap(*path.read_text().split()) if path.exists() else None


def write(path: Path, text: str) -> None:
    """All at once."""
    beside = path.with_suffix(".new")
    beside.write_text(text)
    beside.rename(path)


def take_stage(more: Mapping[str, str] = {}) -> None:
    """In a launcher: from now on there is this engine."""
    table.ENGINES = {**table.ENGINES, "staged": "staged_hosts:Staged", **more}
