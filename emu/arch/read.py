"""Reads architectures: presets by name, TOML files by path; every mistake is named with file, key and line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.arch.checking import Locate, checked
from emu.arch.chip import FIGURES, Arch
from emu.arch.key import tables_of
from emu.arch.schema import MADE_OF, OUTER, Schema, figure, figure_classes, schema
from emu.errors import ArchError, shown
from emu.files import read_text
from emu.wording import nearest

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from emu.toml_comments import Comment

# What reads TOML and presets is imported where that is done: processes of a run get their architecture from a manifest.
MAX_FILE = 1 << 16  # bytes; a description is a page
BASE = "base"  # in table [chip] of a file: the preset that it changes
_CHIP = tuple(MADE_OF["chip"])  # the keys that `Arch` itself has: table [chip] of a file

Table = Mapping[str, Any]


def preset_names() -> list[str]:
    """Names that `load_arch` knows, sorted."""
    files = _presets().iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def _presets() -> Traversable:
    """The folder of presets."""
    from importlib import resources

    return resources.files("emu.arch.presets")


def load_arch(text: str) -> Arch:
    """The architecture of a preset name or a TOML file path; raises ArchError."""
    arch = parse_arch(arch_text(text), f"{text}.toml" if text in preset_names() else str(Path(text)))
    return replace(arch, origin="") if text in preset_names() else arch


def arch_text(text: str) -> str:
    """The TOML of a preset name or a file path, as somebody wrote it; raises ArchError."""
    if text in preset_names():
        return _presets().joinpath(f"{text}.toml").read_text("utf-8")
    path = Path(text)
    if not os.path.lexists(path):
        known = ", ".join(preset_names())
        raise ArchError(
            f"architecture {shown(text)} is neither a preset ({known}) nor a file{nearest(text, preset_names())}"
        )
    return read_text(path, MAX_FILE, ArchError)


def arch_comments(text: str, made: str = "") -> Mapping[tuple[str, ...], Comment]:
    """The comments of a preset or file by key, also of presets below it where it leaves a key as it is there.

    Lines that begin with `made`, if given, are no comments of somebody's. Raises ArchError.
    """
    from emu.toml_comments import comments_of

    own = arch_text(text)
    tables = _tables(own, text)
    base = _at(tables, ("chip", BASE))
    below = arch_comments(base) if base in preset_names() else {}
    kept = {path: comment for path, comment in below.items() if _at(tables, path) is None}
    return {**kept, **(_followed(text, base, kept) if below else {}), **comments_of(own, made)}


def _followed(text: str, base: str, kept: Mapping[tuple[str, ...], Comment]) -> Mapping[tuple[str, ...], Comment]:
    """The figures of a file that laws have made of those of its base, each with a comment that says so."""
    from emu.arch.followed import followed
    from emu.toml_comments import Comment

    before, after = load_arch(base), load_arch(text)
    found = dict[tuple[str, ...], Comment]()
    for each in followed(after):
        old = figure(before, f"{each.table}.{each.key}")
        if old not in (None, each.value):
            path = (*each.table.split("."), each.key)
            above = kept[path].above if path in kept else ()
            found[path] = Comment(above, f"# {old:g} in {base}, by {', '.join(each.names)}")
    return found


def parse_arch(toml_text: str, file_name: str) -> Arch:
    """The architecture that TOML text describes; keys left out keep the defaults of `emu.arch`.

    Or they are as in the preset that `chip.base` names. Without a name in it, it is called as the file is.
    """
    tables, locate = tables_of_text(toml_text, file_name)
    named = _at(tables, ("chip", "name")) is not None
    arch = replace(arch_from_tables(tables, locate), origin=file_name)
    return arch if named else replace(arch, name=Path(file_name).stem)


def tables_of_text(toml_text: str, file_name: str) -> tuple[Table, Locate]:
    """What a TOML text says, and what gives the places of its keys; raises ArchError."""

    def locate(table: str, key: str) -> str:
        from emu.toml_lines import line_of

        path = table.split(".")
        line = line_of(toml_text, (*path, key) if key else tuple(path))
        return f"{file_name}, line {line}: " if line else f"{file_name}: "

    return _tables(toml_text, file_name), locate


def _tables(toml_text: str, file_name: str) -> Table:
    """What a TOML text says; raises ArchError."""
    import tomllib

    try:
        return tomllib.loads(toml_text)
    except (ValueError, RecursionError) as error:  # ValueError also for integers of thousands of digits
        raise ArchError(f"{file_name}: not valid TOML: {error}") from None


def _at(tables: Any, path: tuple[str, ...]) -> Any:
    """The value of a key below its tables; None if there is none."""
    for name in path:
        tables = tables.get(name) if isinstance(tables, dict) else None
    return tables


def _base(tables: Table, locate: Locate) -> Arch | None:
    """The preset that a file is based on, if it names one."""
    base = _at(tables, ("chip", BASE))
    if base is None:
        return None
    if base not in preset_names():
        known = ", ".join(preset_names())
        near = nearest(base, preset_names()) if isinstance(base, str) else ""
        raise ArchError(f"{locate('chip', BASE)}chip.{BASE} {shown(base)} is no preset: use one of {known}{near}")
    return load_arch(base)


def _without_base(tables: Table) -> Table:
    """What a file says beside its base."""
    return {**tables, "chip": {key: value for key, value in tables["chip"].items() if key != BASE}}


def _as_tables(d: Table) -> Table:
    """Plain values as `Arch.to_dict` gives them, with those of the chip itself in a table as in a file."""
    tables = {key: value for key, value in d.items() if key not in _CHIP}
    return {"chip": {key: d[key] for key in _CHIP if key in d}, **tables}


def whole_tables(arch: Arch) -> Table:
    """A chip as the tables of a file that says all of it."""
    return _as_tables(arch.to_dict())


def _over(below: Table, above: Table) -> Table:
    """Two descriptions as one: the keys of `above`, and those of `below` that it does not have."""
    found = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(below.get(key), dict)
        found[key] = _over(below[key], value) if both else value
    return found


def arch_from_dict(d: Table, where: str) -> Arch:
    """The architecture of plain values as `Arch.to_dict` gives them; `where` names their place in errors."""
    return arch_from_tables(_as_tables(d), lambda table, key: f"{where}: ")


def arch_from_tables(tables: Table, locate: Locate) -> Arch:
    """The architecture of the tables of a file; `locate(table, key)` gives the place that errors begin with.

    Where it changes a preset, figures that it does not write follow the laws that the chip names.
    """
    base = _base(tables, locate)
    if base is None:
        return checked(_read(tables, locate), locate)
    own = _without_base(tables)
    arch = checked(_read(_over(_as_tables(base.to_dict()), own), locate), locate)
    if all(getattr(arch, name) is None for name in FIGURES):
        return arch
    from emu.arch.scaling import scaled

    return checked(scaled(base, arch, {*_written(own)}, locate), locate)


def _written(tables: Table, above: str = "") -> Iterator[str]:
    """The keys of a file with their tables: `energy.adc.power_mw`."""
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from _written(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"


def _read(tables: Table, locate: Locate) -> Arch:
    """What whole tables say, each key for itself."""
    read = read_tables(tables, locate)
    made_of = {name: cls(**read[name]) for name, cls in tables_of(Arch).items()}
    has_figures = any(name in tables for name in FIGURES)
    figures = {name: _figures(name, cls, read) for name, cls in figure_classes().items()} if has_figures else {}
    return Arch(**read["chip"], **made_of, **figures)


def read_tables(tables: Table, locate: Locate) -> dict[str, dict[str, Any]]:
    """The checked keys of tables and their subtables (`timing.adc`), each for itself; raises ArchError."""
    known = schema() if any(name in tables for name in FIGURES) else MADE_OF
    found: dict[str, Table] = {"": tables}
    read: dict[str, dict[str, Any]] = {}
    for table in known:
        parent, _, name = table.rpartition(".")
        found[table] = found[parent].get(name, {})
        read[table] = _read_table(table, found[table], known, locate)
    for table in tables:
        if table not in known:
            raise ArchError(f"{locate(table, '')}{_unknown(table, tables[table])}")
    return read


def _figures(name: str, cls: type, read: Mapping[str, dict[str, Any]]) -> Any:
    """The dataclass of a table of figures; None if the file has none of them."""
    parts = {part: part_cls(**read[f"{name}.{part}"]) for part, part_cls in tables_of(cls).items()}
    found = cls(**read[name], **parts)
    return None if found == cls() else found


def _unknown(name: str, value: object) -> str:
    """What is wrong with `name` outside of all tables."""
    if isinstance(value, dict):
        return f"unknown table [{name}]{nearest(name, OUTER)}"
    homes = [f"[{table}]" for table, keys in schema().items() if name in keys]
    if len(homes) > 3:
        homes = [*homes[:2], f"another of the {len(homes)} tables that have it"]
    if homes:
        return f"key {name} stands in no table: write it below {' or '.join(homes)}"
    return f"unknown key {name}: keys stand in the tables {', '.join(f'[{table}]' for table in OUTER)}"


def _read_table(table: str, values: object, schema: Schema, locate: Locate) -> dict[str, Any]:
    """The checked keys of a table itself, without its subtables."""
    if not isinstance(values, dict):
        raise ArchError(f"{locate(table, '')}{table} must be a table [{table}], not {shown(values)}")
    keys, read = schema[table], dict[str, Any]()
    for key, value in values.items():
        if f"{table}.{key}" in schema:
            continue
        if key not in keys:
            known = [*keys, *(name.removeprefix(f"{table}.") for name in schema if name.startswith(f"{table}."))]
            what = f"table [{table}.{key}]" if isinstance(value, dict) else f"key {table}.{key}"
            raise ArchError(f"{locate(table, key)}unknown {what}{nearest(key, known)}")
        try:
            read[key] = keys[key].check.read(value)
        except ValueError as error:
            raise ArchError(f"{locate(table, key)}{table}.{key} {error}") from None
    return read
