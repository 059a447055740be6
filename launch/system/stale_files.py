"""Stale files and folders, whose process has ended: where they are, and their removal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from emu.errors import InputError
from emu.output.calls import CALLS
from emu.output.scratch import scratch_place
from emu.output.temporary import ASIDE, MARK, TOKEN, abandoned, remove
from launch.system.run_directory import PREFIX, run_parents

_OUTPUT = re.compile(rf"\.(?P<target>.+){re.escape(MARK)}{TOKEN}(?P<aside>{ASIDE})?", re.DOTALL)
_SCRATCH = re.compile(rf"emu-[a-z]+-{TOKEN}")
_RUN = re.compile(rf"{PREFIX}(?P<process>[0-9]+)-{TOKEN}")


@dataclass(frozen=True, slots=True)
class StaleFile:
    """A stale file or folder of `bytes` in all. With `back`, it is an original to be moved back there."""

    path: Path
    kind: str
    bytes: int
    back: Path | None = None


def system_folders() -> list[Path]:
    """Where temporary folders and those of sockets are made."""
    return sorted({Path(os.path.realpath(path)) for path in (*run_parents(), scratch_place()) if Path(path).is_dir()})


def stale_files(folders: Iterable[Path]) -> Iterator[StaleFile]:
    """What dead processes left in `folders` (not below); raises InputError for a folder that cannot be read."""
    for folder in folders:
        try:
            names = sorted(CALLS.listdir(folder))
        except OSError as error:
            raise InputError(f"{folder} cannot be read: {error.strerror}") from None
        for name in names:
            found = _look(folder / name)
            if found is not None:
                yield found


def reclaim(dead: StaleFile) -> bool:
    """Remove it, or move it back, unless another process has locked it meanwhile; whether it was reclaimed."""
    with abandoned(dead.path) as ours:
        if not ours:
            return False
        if dead.back is None:
            remove(dead.path)
        elif not os.path.lexists(dead.back):
            try:
                CALLS.rename(dead.path, dead.back)
            except OSError:
                return False
        return not os.path.lexists(dead.path)


def _look(path: Path) -> StaleFile | None:
    run, output, scratch = (form.fullmatch(path.name) for form in (_RUN, _OUTPUT, _SCRATCH))
    if not (run or output or scratch) or (run and _exists(int(run["process"]))):
        return None
    with abandoned(path) as ours:
        if not ours:
            return None
        if run or scratch:
            kind = "a directory of sockets" if run else "a temporary directory"
            return StaleFile(path, kind, bytes_of(path)) if path.is_dir() else None
        assert output is not None
        target = path.with_name(output["target"])
        back = target if output["aside"] and not os.path.lexists(target) else None
        return StaleFile(path, "an unfinished output", bytes_of(path), back)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # somebody else's; no number of a process
        return True
    return True


def bytes_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder, as far as they can be seen."""
    total = 0
    for part in (path, *path.rglob("*")) if path.is_dir() and not path.is_symlink() else (path,):
        try:
            info = part.lstat()
        except OSError:
            continue
        total += info.st_size if not part.is_dir() else 0
    return total
