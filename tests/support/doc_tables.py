"""Tables of the documentation that are made of the product's own tables: `make docs` writes them anew."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import onnx
from operator_probe import taken_types

from compiler.frontend.graph_checks import OPSETS
from compiler.frontend.operators import MICROSOFT, OPERATORS
from compiler.frontend.operators.support import SUPPORT, VECTOR, WHERE
from emu.arch import Arch
from emu.arch_checks import Functions, Number, Text
from emu.arch_file import load_arch, preset_names
from emu.arch_keys import MEANINGS
from emu.arch_schema import SCHEMA
from emu.arch_toml import arch_entries
from emu.isa.dtypes import ALL, FLOATS, INTEGERS, NUMBERS, DType
from launch.text.markdown_page import markdown_table

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(<!-- made by `make docs`: (\S+) -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)
_SETS = {ALL: "all", NUMBERS: "numbers", INTEGERS: "integers", FLOATS: "floats"}
_SIZES = ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB"))


def operators() -> str:
    """One row per operator of the standard."""
    rows = list[list[str]]()
    for name in sorted(OPERATORS.keys() - MICROSOFT.keys()):
        versions = ", ".join(map(str, _versions(name)))
        types = _types(taken_types(name))
        rows.append([f"`{name}`", versions, types, WHERE.get(name, VECTOR), SUPPORT[name]])
    columns = ("operator", "versions", "element types", "where it runs", "what is supported")
    return f"{len(rows)} operators:\n\n{markdown_table(columns, rows, 'lllll')}"


def quantised_operators() -> str:
    """One row per operator of onnxruntime's quantiser."""
    rows = [[f"`{name}`", WHERE.get(name, VECTOR), SUPPORT[name]] for name in sorted(MICROSOFT)]
    return markdown_table(("operator", "where it runs", "what is supported"), rows, "lll")


def _versions(name: str) -> list[int]:
    """The operator sets that define an operator, or define it anew."""
    found = {schema.since_version for schema in _schemas() if (schema.name, schema.domain) == (name, "")}
    return sorted(found & set(range(OPSETS[0], OPSETS[1] + 1)))


@cache
def _schemas() -> list[Any]:
    return onnx.defs.get_all_schemas_with_history()


def _types(found: frozenset[DType]) -> str:
    """Element types in short, as the page explains."""
    wide = next((kinds for kinds in _SETS if kinds <= found), frozenset[DType]())
    names = [str(dtype.numpy) for dtype in DType if dtype in found - wide]
    return ", ".join([_SETS[wide], *names] if wide else names)


def keys() -> str:
    """One row per key of an architecture file."""
    default = {(table, key): value for table, key, value in arch_entries(Arch())}
    rows = [
        [f"`{table}.{key}`", _values(check), f"`{_shown(default[table, key], check)}`", MEANINGS[table][key]]
        for table, checks in SCHEMA.items()
        for key, check in checks.items()
    ]
    return markdown_table(("key", "value", "default", "meaning"), rows, "llll")


def presets() -> str:
    """One row per preset: what differs from one to the next."""
    found = [load_arch(name) for name in preset_names()]
    entries = [{(table, key): value for table, key, value in arch_entries(arch)} for arch in found]
    differ = [place for place in entries[0] if place[0] != "chip" and len({entry[place] for entry in entries}) > 1]
    columns = ("preset", *(f"`{table}.{key}`" for table, key in differ))
    rows = [
        [f"`{arch.name}`", *(_shown(entry[place], SCHEMA[place[0]][place[1]]) for place in differ)]
        for arch, entry in zip(found, entries, strict=True)
    ]
    return markdown_table(columns, rows, "l" * len(columns))


def _values(check: Number | Text | Functions) -> str:
    """What a key takes."""
    if isinstance(check, Functions):
        return "list of names"
    if isinstance(check, Text):
        return " or ".join(f'`"{choice}"`' for choice in check.choices) or "text"
    if check.unit:
        return f'bytes, or text such as `"64 KiB"`; up to {_size(check.high)}'
    return f"{check.low} to {check.high}"


def _shown(value: str, check: Number | Text | Functions) -> str:
    """A value as one writes it: bytes with their unit."""
    return f'"{_size(int(value))}"' if isinstance(check, Number) and check.unit else value


def _size(count: int) -> str:
    return next((f"{count >> bits} {unit}" for bits, unit in _SIZES if count and not count % (1 << bits)), str(count))


TABLES: Mapping[str, Callable[[], str]] = {
    "operators": operators,
    "quantised-operators": quantised_operators,
    "keys": keys,
    "presets": presets,
}
PAGES = ("operators.md", "architecture-file.md")


def renewed(text: str) -> str:
    """A page with all its tables as they are now."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{TABLES[found[2]]()}\n{found[4]}", text)


def main() -> None:
    """Write all pages anew."""
    for name in PAGES:
        page = ROOT / "docs" / name
        page.write_text(renewed(page.read_text("utf-8")), "utf-8")
        sys.stdout.write(f"{page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
