"""Tables of the documentation that are made of the product's own tables: `make docs` writes them anew."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import onnx
from command_reference import command_reference
from design_spaces import isaac_arrays, isaac_converters, puma_lanes, puma_units
from level_pages import LEVELS, level_page
from operator_probe import taken_types
from operator_words import SUPPORT, VECTOR, WHERE
from text_tables import named_operations, text_operations

from compiler.frontend.graph_checks import OPSETS
from compiler.frontend.operators import MICROSOFT, ML, OPERATORS
from emu.arch.checks import FlagCheck, Functions, Limits, NamesCheck, NumberCheck, Real, Square, TextCheck, ValueCheck
from emu.arch.chip import FIGURES, Arch
from emu.arch.components import COMPONENTS, Component
from emu.arch.figures import ComponentTimes
from emu.arch.key import SMALLEST_RATE, Key, keys_of
from emu.arch.ranges import RangeRows
from emu.arch.read import load_arch, preset_names
from emu.arch.schema import MADE_OF, schema
from emu.arch.write import arch_entries
from emu.isa.dtypes import ALL, FLOATS, INTEGERS, NUMBERS, DType
from launch.cli.arch_cells import all_cells
from launch.debug.table import COMMANDS
from launch.report.panels.table import PANELS
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(<!-- made by `make docs`: (\S+) -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)
_SETS = {ALL: "all", NUMBERS: "numbers", INTEGERS: "integers", FLOATS: "floats"}
_SIZES = ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB"))


def operators() -> str:
    """One row per operator of the standard."""
    rows = list[list[str]]()
    for name in sorted(OPERATORS.keys() - {*MICROSOFT, *ML}):
        versions = ", ".join(map(str, _versions(name)))
        types = _types(taken_types(name))
        rows.append([f"`{name}`", versions, types, WHERE.get(name, VECTOR), SUPPORT[name]])
    columns = ("operator", "versions", "element types", "where it runs", "what is supported")
    return f"{len(rows)} operators:\n\n{markdown_table(Table('', columns, rows, 'lllll'))}"


def quantised_operators() -> str:
    """One row per operator of onnxruntime's quantiser."""
    return _foreign(MICROSOFT)


def learned_operators() -> str:
    """One row per operator of ONNX-ML."""
    return _foreign(ML)


def _foreign(names: Iterable[str]) -> str:
    rows = [[f"`{name}`", WHERE.get(name, VECTOR), SUPPORT[name]] for name in sorted(names)]
    return markdown_table(Table("", ("operator", "where it runs", "what is supported"), rows, "lll"))


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
    """One row per key of what a chip is made of."""
    default = {(table, name): value for table, name, value in arch_entries(Arch())}
    rows = [
        [
            f"`{table}.{name}`",
            _values(key.check),
            f"`{_shown(default[table, name], key.check)}`" if (table, name) in default else "-",
            key.meaning,
        ]
        for table, name, key in _keys(*MADE_OF)
    ]
    return markdown_table(Table("", ("key", "value", "default", "meaning"), rows, "llll"))


def times() -> str:
    """One row per key of `[timing]` and its components."""
    one = {name: f"`timing.COMPONENT.{name}`, of each component" for name in keys_of(ComponentTimes)}
    found = {one.get(name, f"`{table}.{name}`"): key for table, name, key in _keys("timing")}
    rows = [[where, _values(key.check), key.meaning] for where, key in found.items()]
    return markdown_table(Table("", ("key", "value", "meaning"), rows, "lll"))


def _keys(*outer: str) -> Iterator[tuple[str, str, Key]]:
    """The keys of these tables and the tables in them, each with its table and name."""
    for table, named in schema().items():
        for name, key in named.items() if table.partition(".")[0] in outer else ():
            yield table, name, key


def costs() -> str:
    """One row per kind of figure of `[energy]` and `[area]`, with the components that have it."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for table, name, key in _keys("energy", "area"):
        outer, _, component = table.partition(".")
        found.setdefault((outer, name, _values(key.check), key.meaning), []).append(component)
    rows = [[_keyed(outer, name, where), values, meaning] for (outer, name, values, meaning), where in found.items()]
    return markdown_table(Table("", ("key", "value", "meaning"), rows, "lll"))


def _keyed(outer: str, key: str, names: list[str]) -> str:
    """The keys of some components that mean the same."""
    if len(names) == len(COMPONENTS):
        return f"`{outer}.COMPONENT.{key}`, of each component"
    return ", ".join(f"`{outer}.{name}.{key}`" for name in names)


def components() -> str:
    """One row per component."""
    rows = [
        [f"`{name}`", component.meaning, component.level, _number(component)] for name, component in COMPONENTS.items()
    ]
    return markdown_table(Table("", ("component", "what it is", "part of each", "number"), rows, "llll"))


def _number(component: Component) -> str:
    """How many there are, in words where it follows from the crossbar."""
    return str(component.count) if isinstance(component.count, int) else f"`{component.count[0]}`"


def published() -> str:
    """One row per key of `[published]`."""
    keys = [row for row in _keys("published") if row[0] == "published"]
    rows = [[f"`published.{name}`", _values(key.check), key.meaning] for _, name, key in keys]
    why = [["`published.why.KEY`", "text", "why the sum differs from the published total KEY, such as `chip_mm2`"]]
    return markdown_table(Table("", ("key", "value", "meaning"), rows + why, "lll"))


def presets() -> str:
    """One row per preset: what it is made of, and which figures it has."""
    places = (("system", "chips"), ("chip", "cores"), *(("core", key) for key in ("crossbars", "local_memory")))
    places += tuple(("crossbar", key) for key in ("rows", "cols", "cell_bits"))
    columns = ("preset", *(f"`{table}.{key}`" for table, key in places), "figures")
    rows = list[list[str]]()
    for arch in map(load_arch, preset_names()):
        entry = {(table, key): value for table, key, value in arch_entries(arch)}
        figures = ", ".join(name for name in FIGURES if getattr(arch, name))
        rows.append(
            [f"`{arch.name}`", *(_shown(entry[place], schema()[place[0]][place[1]].check) for place in places), figures]
        )
    return markdown_table(Table("", columns, rows, "l" * len(columns)))


def _values(check: ValueCheck) -> str:
    """What a key takes."""
    if isinstance(check, Functions):
        return "list of names"
    if isinstance(check, NamesCheck):
        return "name or list of names"
    if isinstance(check, TextCheck):
        return " or ".join(f'`"{choice}"`' for choice in check.choices) or "text"
    if isinstance(check, FlagCheck):
        return "`true` or `false`"
    if isinstance(check, Square):
        return f"up to {check.largest} rows of as many numbers"
    if isinstance(check, Limits):
        return "list of pairs of numbers"
    if isinstance(check, RangeRows):
        return "list of rows"
    if isinstance(check, Real):
        low, _, high = check.range.removeprefix("from ").partition(" to ")
        return f"more than 0, up to {high}" if check.low == SMALLEST_RATE else f"{low} to {high}"
    assert isinstance(check, NumberCheck)
    if check.unit:
        return f'bytes, or text such as `"64 KiB"`; up to {_size(check.high)}'
    return f"{check.low} to {check.high}"


def _shown(value: str, check: ValueCheck) -> str:
    """A value as one writes it: bytes with their unit."""
    return f'"{_size(int(value))}"' if isinstance(check, NumberCheck) and check.unit else value


def _size(count: int) -> str:
    return next((f"{count >> bits} {unit}" for bits, unit in _SIZES if count and not count % (1 << bits)), str(count))


def cell_models() -> str:
    """One row per model of cells."""
    rows = [
        [f"`{each['name']}`", _bare(each["keys"]), _bare(each["depends"]) or "-", each["meaning"], each["source"]]
        for each in all_cells().values["cells"]
    ]
    return markdown_table(Table("", ("model", "for", "depends on", "meaning", "source"), rows, "lllll"))


def _bare(keys: list[str]) -> str:
    """Keys of `[device]` without their table."""
    return ", ".join(f"`{key.removeprefix('device.')}`" for key in keys)


def debugger_commands() -> str:
    """One row per command of the debugger."""
    rows = [[f"`{row.usage}`", ", ".join(f"`{name}`" for name in row.aliases), row.summary] for row in COMMANDS]
    return markdown_table(Table("", ("command", "short", "what it does"), rows, "lll"))


def report_panels() -> str:
    """One row per panel of the page of `emu report`."""
    return markdown_table(Table("", ("part", "what it shows"), [[p.title, p.about] for p in PANELS], "ll"))


def report_fields() -> str:
    """What each panel adds to the report, and the fields of that."""
    added = {key: dict(fields) for panel in PANELS for key, fields in panel.fields.items()}
    first = _fields({f"`{key}`": fields.pop("") for key, fields in added.items()})
    return "\n\n".join([first, *(f"Of `{key}`:\n\n{_fields(fields)}" for key, fields in added.items() if fields)])


def _fields(meanings: Mapping[str, str]) -> str:
    return markdown_table(Table("", ("field", "meaning"), list(meanings.items()), "ll"))


TABLES: Mapping[str, Callable[[], str]] = {
    "operators": operators,
    "quantised-operators": quantised_operators,
    "learned-operators": learned_operators,
    "text-operations": text_operations,
    "named-operations": named_operations,
    "keys": keys,
    "times": times,
    "costs": costs,
    "components": components,
    "published": published,
    "presets": presets,
    "cell-models": cell_models,
    "debugger": debugger_commands,
    "report-panels": report_panels,
    "report-fields": report_fields,
    "commands": command_reference,
    "isaac-converters": isaac_converters,
    "isaac-arrays": isaac_arrays,
    "puma-units": puma_units,
    "puma-lanes": puma_lanes,
    **{f"level-{level}": partial(level_page, level) for level in LEVELS},
}
PAGES = (
    "operators.md",
    "text.md",
    "architecture-file.md",
    "cells.md",
    "design-spaces.md",
    "debugger.md",
    "commands.md",
    "report.md",
    "json.md",
    *(f"levels/{level}.md" for level in LEVELS),
)


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
