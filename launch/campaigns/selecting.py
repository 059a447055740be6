"""Selection of the cases of a campaign, and the memory of those that failed when they ran last."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from emu.errors import InputError, option
from emu.files import read_text
from emu.output.whole_file import write_whole
from emu.wording import counted
from launch.campaigns.case import Case
from launch.campaigns.expression import matching
from launch.campaigns.options import CampaignOptions
from launch.system.state_folder import state_folder

LARGEST = 1 << 24  # bytes of a file of names


def selected(cases: Sequence[Case], options: CampaignOptions, failed: Iterable[str]) -> list[Case]:
    """The cases that `options` select; `failed` are names of those that failed last. Raises InputError for none."""
    matches = matching(options.select) if options.select else lambda name: True
    named = [case for case in cases if matches(case.name)]
    if not named:
        names = ", ".join(case.name for case in cases[:3]) + (", ..." if len(cases) > 3 else "")
        raise InputError(f"{option('select', options.select)}: none of {counted(len(cases), 'case')} matches ({names})")
    if options.last_failed:
        known = set(failed)
        named = [case for case in named if case.name in known] or named
    part = sharded(named, options.shard) if options.shard else named
    return [replace(case, expect=options.expect) for case in part] if options.expect else part


def sharded(cases: Sequence[Case], shard: str) -> list[Case]:
    """The I-th of N parts, `shard` being I/N; raises InputError for I > N."""
    part, parts = map(int, shard.split("/"))
    if part > parts:
        raise InputError(f"{option('shard', shard)}: there are {parts} parts, so the last one is {parts}/{parts}")
    return list(cases[part - 1 :: parts])


class LastFailed:
    """Names of cases that failed when they ran last, under a key; kept in the user's state folder."""

    _file: Path | None = None

    def __init__(self, of: str) -> None:
        name = sha256(of.encode(errors="surrogateescape")).hexdigest()[:32]
        with contextlib.suppress(RuntimeError):  # the user has no home
            self._file = state_folder() / "failed" / f"{name}.json"

    def names(self) -> list[str]:
        """The names; none if there is no file, or if it cannot be read."""
        if self._file is None:
            return []
        with contextlib.suppress(OSError, InputError, ValueError, KeyError, TypeError):
            return [str(name) for name in json.loads(read_text(self._file, LARGEST))["failed"]]
        return []

    def learn(self, right: Iterable[str], wrong: Iterable[str]) -> None:
        """Update the names after cases have run, keeping those of other cases. A failed write is ignored."""
        known, good = self.names(), set(right)
        now = list(dict.fromkeys(name for name in (*known, *wrong) if name not in good))
        if now == known or self._file is None:
            return
        with contextlib.suppress(OSError, InputError):
            if not now:
                self._file.unlink()
                return
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._file, json.dumps({"failed": now}).encode())


def place_of(*words: str | Path) -> str:
    """The key of a command: where it runs, and what it runs."""
    return "\0".join((str(Path.cwd()), *map(str, words)))
