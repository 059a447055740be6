"""Finds the line of a TOML text on which a key is set: for sentences about a value that was read from it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_STATEMENT = 100  # lines of one statement in which `line_of` looks for a key

Path = tuple[str | int, ...]  # keys of tables, and places in arrays, counted from 0


@dataclass(frozen=True, slots=True)
class TomlStatement:
    """A header or a key with its value: its first line (from 1), its text, and the two parsed below their header."""

    first: int
    text: str
    is_header: bool
    node: Any


def statements(toml_text: str) -> Iterator[TomlStatement]:
    """The statements of a TOML text in their order, without the lines between them.

    Each is parsed below its table's header, which is exact for every way of writing a key (dotted, quoted, inline
    tables). Ends at a statement of more than `MAX_STATEMENT` lines: looking into it takes quadratic time.
    """
    header, statement, first = "", "", 0
    for number, line in enumerate(toml_text.splitlines(keepends=True), 1):
        if not statement and (not line.strip() or line.lstrip().startswith("#")):
            continue
        first = first if statement else number
        statement += line
        if number - first >= MAX_STATEMENT:
            return
        is_header = first == number and line.lstrip().startswith("[")
        try:
            node: Any = tomllib.loads(statement if is_header else header + statement)
        except (ValueError, RecursionError):
            continue  # inside a value of several lines
        if is_header:
            header = statement
        yield TomlStatement(first, statement, is_header, node)
        statement = ""


def line_of(toml_text: str, path: Path) -> int:
    """The line on which `path` is set: that of the first statement that sets it; 0 if none is found.

    A number in `path` is a place in an array: of values, of inline tables, or of tables `[[key]]`.
    """
    tables: dict[Path, int] = {}  # arrays of tables, and how many headers of each were seen
    for statement in statements(toml_text):
        if statement.is_header and statement.text.lstrip().startswith("[["):
            _count(statement.node, tables)
        if _found(statement.node, path, tables):
            return statement.first
    return 0


def _count(node: Any, tables: dict[Path, int]) -> None:
    """One more header of the array of tables that `node`, a header parsed alone, opens."""
    place: Path = ()
    while isinstance(node, dict):
        ((key, node),) = node.items()
        place = (*place, key) if place not in tables else (*place, tables[place] - 1, key)
    tables[place] = tables.get(place, 0) + 1


def _found(node: Any, path: Path, tables: dict[Path, int]) -> bool:
    """Whether `node`, a statement parsed below its header, sets `path`; of arrays of tables it holds the last one."""
    for place, key in enumerate(path):
        if isinstance(key, str):
            node = node.get(key) if isinstance(node, dict) else None
        elif path[:place] in tables:
            last = node[-1] if isinstance(node, list) else node
            node = last if key == tables[path[:place]] - 1 else None
        else:
            node = node[key] if isinstance(node, list) and key < len(node) else None
    return node is not None
