"""Reads architectures: presets by name, TOML files by path; every mistake is named with file, key and line."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from emu.arch import MAX_CORES, Arch, Core, Crossbar, GlobalMemory, Network
from emu.errors import ArchError, shown
from emu.files import read_text
from emu.isa.table import BY_NAME
from emu.toml_lines import line_of
from emu.wording import counted, nearest

TOPOLOGIES = ("mesh",)
MAX_FILE = 1 << 16  # bytes; a description is a page
_UNITS = {"B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}
_CHIP = ("name", "cores", "note")  # the keys that `Arch` itself has: table [chip] of a file

Table = Mapping[str, Any]
Locate = Callable[[str, str], str]  # (table, key) -> "file, line 3: "


@dataclass(frozen=True, slots=True)
class Number:
    """An integer from `low` to `high`; `unit` allows the form "64 MiB"."""

    low: int
    high: int
    unit: bool = False

    def read(self, value: object) -> int:
        """The checked value; raises ValueError with what was expected."""
        if self.unit and isinstance(value, str):
            value = _bytes(value)
        if not isinstance(value, int) or isinstance(value, bool):
            form = 'a number of bytes such as 65536 or "64 KiB"' if self.unit else "an integer"
            raise ValueError(f"must be {form}, not {shown(value)}")
        if not self.low <= value <= self.high:
            raise ValueError(f"must be from {self.low} to {self.high}, not {shown(value)}")
        return value


@dataclass(frozen=True, slots=True)
class Text:
    """A string; `choices` restricts it."""

    choices: tuple[str, ...] = ()

    def read(self, value: object) -> str:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, str):
            raise ValueError(f"must be a string, not {shown(value)}")
        if self.choices and value not in self.choices:
            raise ValueError(
                f"must be one of {', '.join(self.choices)}, not {shown(value)}{nearest(value, self.choices)}"
            )
        return value


FUNCTIONS = frozenset(row.name for row in BY_NAME.values() if row.digital)


class Functions:
    """A list of instruction names of the digital unit, or ["*"] for all."""

    def read(self, value: object) -> tuple[str, ...]:
        """The checked value; raises ValueError with what was expected."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(name, str) for name in value):
            raise ValueError(f'must be a list of instruction names or ["*"], not {shown(value)}')
        for name in value:
            if name != "*" and name not in FUNCTIONS:
                raise ValueError(f"names {shown(name)}, no instruction of the digital unit{nearest(name, FUNCTIONS)}")
        return tuple(value)


SCHEMA: dict[str, dict[str, Number | Text | Functions]] = {
    "chip": {"name": Text(), "cores": Number(1, MAX_CORES), "note": Text()},
    "core": {
        "crossbars": Number(1, 1 << 20),
        "local_memory": Number(1, 1 << 40, unit=True),
        "registers": Number(1, 128),
        "events": Number(1, 1 << 16),
        "functions": Functions(),
    },
    "crossbar": {"rows": Number(1, 1 << 16), "cols": Number(1, 1 << 16), "cell_bits": Number(0, 64)},
    "global_memory": {"size": Number(1, 1 << 48, unit=True)},
    "network": {"topology": Text(TOPOLOGIES), "width": Number(0, 1 << 16)},
}


def preset_names() -> list[str]:
    """Names that `load_arch` knows, sorted."""
    files = resources.files("emu.presets").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def load_arch(text: str) -> Arch:
    """The architecture of a preset name or a TOML file path; raises ArchError."""
    if text in preset_names():
        preset = resources.files("emu.presets").joinpath(f"{text}.toml").read_text("utf-8")
        return replace(parse_arch(preset, f"{text}.toml"), origin="")
    path = Path(text)
    if not os.path.lexists(path):
        known = ", ".join(preset_names())
        raise ArchError(
            f"architecture {shown(text)} is neither a preset ({known}) nor a file{nearest(text, preset_names())}"
        )
    return parse_arch(read_text(path, MAX_FILE, ArchError), str(path))


def parse_arch(toml_text: str, file_name: str) -> Arch:
    """The architecture that TOML text describes; keys left out keep the defaults of `emu.arch`.

    Without a name in it, it is called as the file is.
    """
    try:
        tables = tomllib.loads(toml_text)
    except (ValueError, RecursionError) as error:  # ValueError also for integers of thousands of digits
        raise ArchError(f"{file_name}: not valid TOML: {error}") from None

    def locate(table: str, key: str) -> str:
        line = line_of(toml_text, (table, key) if key else (table,))
        return f"{file_name}, line {line}: " if line else f"{file_name}: "

    arch = replace(arch_from_tables(tables, locate), origin=file_name)
    named = "name" in tables.get("chip", {})
    return arch if named else replace(arch, name=Path(file_name).stem)


def arch_from_dict(d: Table, where: str) -> Arch:
    """The architecture of plain values as `Arch.to_dict` gives them; `where` names their place in errors."""
    tables = {key: value for key, value in d.items() if key not in _CHIP}
    return arch_from_tables(
        {"chip": {key: d[key] for key in _CHIP if key in d}, **tables}, lambda table, key: f"{where}: "
    )


def arch_from_tables(tables: Table, locate: Locate) -> Arch:
    """The architecture of the tables of a file; `locate(table, key)` gives the place that errors begin with."""
    read = {table: _read_table(table, tables.get(table, {}), locate) for table in SCHEMA}
    for table in tables:
        if table not in SCHEMA:
            raise ArchError(f"{locate(table, '')}{_unknown(table, tables[table])}")
    arch = Arch(
        core=Core(**read["core"]),
        crossbar=Crossbar(**read["crossbar"]),
        global_memory=GlobalMemory(**read["global_memory"]),
        network=Network(**read["network"]),
        **read["chip"],
    )
    if arch.network.width > arch.cores:
        raise ArchError(
            f"{locate('network', 'width')}network.width {arch.network.width} exceeds the {counted(arch.cores, 'core')}"
        )
    return arch


def _unknown(name: str, value: object) -> str:
    """What is wrong with `name` outside of all tables."""
    if isinstance(value, dict):
        return f"unknown table [{name}]{nearest(name, SCHEMA)}"
    homes = [f"[{table}]" for table, keys in SCHEMA.items() if name in keys]
    if homes:
        return f"key {name} stands in no table: write it below {' or '.join(homes)}"
    return f"unknown key {name}: keys stand in the tables {', '.join(f'[{table}]' for table in SCHEMA)}"


def _read_table(table: str, values: object, locate: Locate) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ArchError(f"{locate(table, '')}{table} must be a table [{table}], not {shown(values)}")
    checks, read = SCHEMA[table], dict[str, Any]()
    for key, value in values.items():
        if key not in checks:
            raise ArchError(f"{locate(table, key)}unknown key {table}.{key}{nearest(key, checks)}")
        try:
            read[key] = checks[key].read(value)
        except ValueError as error:
            raise ArchError(f"{locate(table, key)}{table}.{key} {error}") from None
    return read


def _bytes(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,15}) ?(B|KiB|MiB|GiB|TiB)", text.strip())
    if match is None:
        raise ValueError(f'must be a number of bytes such as 65536 or "64 KiB", not {shown(text)}')
    return int(match[1]) << _UNITS[match[2]]
