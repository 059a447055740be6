"""`emu doctor --clean`: remove compiled images of a cache, or what dead processes left behind."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import click

from launch.text.answer import Answer
from launch.text.units import size_text

DAY = 24 * 60 * 60  # seconds


def cleaned(folders: tuple[Path, ...], cache: Path | None, older_than: float | None, dry_run: bool) -> Answer:
    """Remove what is left over in `folders`, or entries of a cache that nobody has used for so many days."""
    if cache is not None and folders:
        raise click.UsageError("--cache cleans that cache alone: leave DIR out")
    if older_than is not None and cache is None:
        raise click.UsageError("--older-than counts the days of a cache: name it with --cache DIR")
    left, places = _left_over([cache] if cache is not None else list(folders), dry_run)  # it may hold files of a cache
    removed, kept = _cached(cache, older_than, dry_run) if cache is not None else ([], 0)
    removed += left
    total = sum(each["bytes"] for each in removed)
    would = "would have " if dry_run else ""
    lines = [
        f"{would}put back {each['back']}, which an interrupted run had moved aside"
        if each["back"]
        else f"{would}removed {each['path']}: {each['kind']}, {size_text(each['bytes'])}"
        for each in removed
    ]
    searched = ", ".join(map(str, places))
    lines.append(f"{would}freed {size_text(total)}" if removed else f"nothing to remove in {searched}")
    if kept:
        lines.append(f"kept {kept} in use")
    return Answer({"dry_run": dry_run, "removed": removed, "kept": kept, "bytes": total}, lines)


def _cached(cache: Path, days: float | None, dry_run: bool) -> tuple[list[dict[str, Any]], int]:
    """What is removed of a cache, and how much of it is in use."""
    from emu.errors import InputError
    from launch.images.cache_directory import FILES, IMAGES, form_of

    kinds = {IMAGES: ("a compiled image", _entries), FILES: ("a file of an image", _files)}
    form = form_of(cache)
    if form not in kinds:
        raise InputError(
            f"{cache} is no cache of emu: nothing is removed; `emu doctor --clean DIR` looks for what is left over"
        )
    kind, remove_unused = kinds[form]
    before = time.time() - (days or 0) * DAY
    removed, kept = remove_unused(cache, math.inf if days is None else before, dry_run)
    return [{"path": str(path), "kind": kind, "bytes": count, "back": None} for path, count in removed], kept


def _entries(cache: Path, before: float, dry_run: bool) -> tuple[list[tuple[Path, int]], int]:
    """Entries of a cache of images that were not used since `before` (seconds since 1970), and how many are in use."""
    from launch.images.cache_directory import entries, free_entry, last_use, remove_entry
    from launch.system.stale_files import bytes_of

    old = [(entry, bytes_of(entry)) for entry in entries(cache) if last_use(entry) <= before]
    removed = [each for each in old if (free_entry if dry_run else remove_entry)(each[0])]
    return removed, len(old) - len(removed)


def _files(cache: Path, before: float, dry_run: bool) -> tuple[list[tuple[Path, int]], int]:
    """The same of a store of files."""
    from launch.machines.content.store import ContentStore

    return ContentStore(cache).remove_unused(before, dry_run)


def _left_over(folders: list[Path], dry_run: bool) -> tuple[list[dict[str, Any]], list[Path]]:
    """What dead processes left that is removed, and the folders that were looked into."""
    from launch.system.stale_files import reclaim, stale_files, system_folders

    folders = folders or system_folders()
    removed = []
    for dead in stale_files(dict.fromkeys(folders)):
        if dry_run or reclaim(dead):
            removed.append(
                {
                    "path": str(dead.path),
                    "kind": dead.kind,
                    "bytes": 0 if dead.back else dead.bytes,
                    "back": str(dead.back) if dead.back else None,
                }
            )
    return removed, folders
