"""One run of the benchmark: rows and profiles, one after the other, in one folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emu.output.folder import make_folder
from emu.output.scratch import ScratchFolder
from launch.bench.machine import machine, sentence
from launch.bench.measurement import Outcome
from launch.bench.profile import Profile, profile
from launch.bench.profile_tables import profile_block
from launch.bench.rows import Row
from launch.bench.tables import rows_block
from launch.bench.workshop import Settings, Workshop, check_network
from launch.text.markdown_page import check_page, write_blocks

PROFILE_CORES = 64
ROWS_BLOCK = "rows"


@dataclass(frozen=True, slots=True)
class Session:
    """What was found, and where."""

    machine: Mapping[str, Any]
    outcomes: Sequence[Outcome]
    profiles: Mapping[str, Sequence[Profile]]

    @property
    def failed(self) -> bool:
        """Whether a row could not be measured."""
        return any(outcome.measurement is None for outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "machine": dict(self.machine),
            "rows": [outcome.to_dict() for outcome in self.outcomes],
            "profiles": {name: [p.to_dict() for p in parts] for name, parts in self.profiles.items()},
        }

    def write(self, page: Path) -> None:
        """Put rows and profiles between their markers in a Markdown page; raises InputError."""
        about = sentence(dict(self.machine))
        blocks = {ROWS_BLOCK: rows_block(self.outcomes, about)} if self.outcomes else {}
        blocks |= {_profile_block(name): profile_block(name, parts, about) for name, parts in self.profiles.items()}
        write_blocks(page, blocks)


def check_markers(page: Path, rows: Sequence[Row], networks: Sequence[str]) -> None:
    """Raise InputError unless `page` has a place for what `run_session` will find."""
    check_page(page, [ROWS_BLOCK] * bool(rows) + [_profile_block(name) for name in networks])


def _profile_block(network: str) -> str:
    return f"profile {network}"


def run_session(
    rows: Sequence[Row],
    networks: Sequence[str],
    settings: Settings,
    folder: Path | None,
    tell: Callable[[str], None] = lambda text: None,
) -> Session:
    """Measure `rows` and profile `networks`; models and images stay in `folder` if one is given."""
    for network in networks:
        check_network(network)
    about = machine()
    with _folder(folder) as place:
        work = Workshop(place, settings)
        outcomes = [_told(row, work, tell) for row in rows]
        profiles = {}
        for network in networks:
            tell(f"profile {network}")
            profiles[network] = profile(work, network, PROFILE_CORES)
    return Session(about, outcomes, profiles)


def _told(row: Row, work: Workshop, tell: Callable[[str], None]) -> Outcome:
    tell(row.name)
    return row.measure(work)


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    if given is not None:
        make_folder(given)
        yield given.resolve()
        return
    with ScratchFolder("bench") as folder:
        yield folder
