"""`emu doctor --clean`: remove compiled images of a cache, or what dead processes left behind."""

from __future__ import annotations

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
    removed, kept = _entries(cache, older_than, dry_run) if cache is not None else ([], 0)
    places = [cache] if cache is not None else list(folders)
    left, places = _left_over(places, dry_run)
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


def _entries(cache: Path, days: float | None, dry_run: bool) -> tuple[list[dict[str, Any]], int]:
    """The entries of a cache that are removed, and how many are in use."""
    from emu.errors import InputError
    from launch.images.cache_directory import entries, free_entry, is_cache, last_use, remove_entry
    from launch.system.stale_files import bytes_of

    if not is_cache(cache):
        raise InputError(
            f"{cache} is no cache of emu: nothing is removed; `emu doctor --clean DIR` looks for what is left over"
        )
    removed, kept = [], 0
    for entry in entries(cache):
        if days is not None and time.time() - last_use(entry) < days * DAY:
            continue
        count = bytes_of(entry)
        if (free_entry if dry_run else remove_entry)(entry):
            removed.append({"path": str(entry), "kind": "a compiled image", "bytes": count, "back": None})
        else:
            kept += 1
    return removed, kept


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
