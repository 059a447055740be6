"""Cause and cure of the errors of each part of the product, from error_causes.toml: for docs/errors.md."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Errors that have one cause and one cure: those of modules that begin with one of `modules`."""

    title: str
    modules: list[str]
    cause: str
    cure: str
    code: str = "2"
    also: tuple[str, ...] = ()  # sentences that are put together in more than one place


GROUPS = tuple(Group(**group) for group in tomllib.loads(_FILE.read_text("utf-8"))["group"])


def group_of(module: str) -> Group:
    """The group of a module: the one that names most of it; raises KeyError if none does."""
    found = [
        (len(prefix), place)
        for place, group in enumerate(GROUPS)
        for prefix in group.modules
        if module == prefix or module.startswith((f"{prefix}.", f"{prefix}_"))
    ]
    if not found:
        raise KeyError(f"say in error_causes.toml what the errors of {module} come from")
    return GROUPS[max(found)[1]]
