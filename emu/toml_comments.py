"""Comments of a TOML text by the key that they stand beside or above: to keep them when it is written anew."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emu.toml_lines import statements


@dataclass(frozen=True, slots=True)
class Comment:
    """Lines above a statement, and what stands behind it on its own line; both with their `#`."""

    above: tuple[str, ...] = ()
    behind: str = ""

    def around(self, statement: str) -> list[str]:
        """The lines of a statement with its comments."""
        return [*self.above, f"{statement} {self.behind}" if self.behind else statement]


def comments_of(toml_text: str, made: str = "") -> Mapping[tuple[str, ...], Comment]:
    """The comments of every header and key, by the path of names; those below the last statement are left out.

    Lines that begin with `made`, if given, are no comments of somebody's.
    """
    lines = toml_text.splitlines()
    found: dict[tuple[str, ...], Comment] = {}
    end = 0
    for statement in statements(toml_text):
        between = (line.strip() for line in lines[end : statement.first - 1])
        above = tuple(line for line in between if line and not (made and line.startswith(made)))
        end = statement.first - 1 + len(statement.text.splitlines())
        comment = Comment(above, _behind(statement.text))
        if comment != Comment():
            found.setdefault(_path(statement.node), comment)
    return found


def _behind(text: str) -> str:
    """The comment behind a statement of one line: from the first `#` before which the statement is whole."""
    line = text.strip()
    places = (place for place, sign in enumerate(line) if sign == "#")
    return next((line[place:] for place in places if _whole(line[:place])), "")


def _whole(text: str) -> bool:
    try:
        return bool(tomllib.loads(text))
    except ValueError:
        return False


def _path(node: Any) -> tuple[str, ...]:
    """The path to what a statement sets: the innermost name of a chain of tables with one key each."""
    path: tuple[str, ...] = ()
    while isinstance(node, dict) and len(node) == 1:
        ((key, node),) = node.items()
        path = (*path, key)
    return path
