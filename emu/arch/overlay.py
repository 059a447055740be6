"""The physics of an image's chip: tables of a file over what the programs were compiled for, refused where they differ.

A file may be a whole description, too, if all that it says beside cells, wires and converters is as the chip is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from emu.arch.checking import Locate, checked
from emu.arch.chip import PHYSICS, Arch
from emu.arch.key import TEXT, Key
from emu.arch.read import BASE, Table, parse_arch, read_tables, tables_of_text, whole_tables
from emu.arch.schema import part_of, schema
from emu.errors import ArchError, option, shown
from emu.isa.dtypes import DType

MAX_OVERLAY = 1 << 24  # bytes of a file: ranges have a line for each array group
_KIND = ("crossbar", "kind")


def analog_of(arch: Arch) -> Arch:
    """The chip with products as its own cells, wires and converters give them; raises ArchError for contradictions."""
    return _analog(arch, lambda table, key: f"{arch.title}: ")


def overlaid(arch: Arch, text: str, file_name: str, weight_types: Collection[DType] = tuple(DType)) -> Arch:
    """The chip of an image with the tables of a file over it, of the kind "analog".

    [mapping], [device], [faults], [wires], [draws] and [ranges] add keys, and [crossbar] those that no program depends
    on, unless the chip (or a file before this one) says something else. All else must be as the chip has it, and
    weights of `weight_types`, those of the image, must take the same room. Raises ArchError with file, line and key.
    """
    tables, locate = tables_of_text(text, file_name)
    if isinstance(chip := tables.get("chip"), dict) and BASE in chip:
        tables = whole_tables(parse_arch(text, file_name))
    return overlaid_by(arch, tables, locate, file_name, weight_types)


def overlaid_by(
    arch: Arch, tables: Table, locate: Locate, file_name: str, weight_types: Collection[DType] = tuple(DType)
) -> Arch:
    """The same of tables that were read; `locate(table, key)` gives the place that errors begin with."""
    values: dict[str, dict[str, Any]] = {}
    for table, name, value, key in _said(tables, locate):
        part = part_of(arch, table)
        own = None if part is None else getattr(part, name)
        if value == own or (table, name) == _KIND or (value is False and own is None and table not in PHYSICS):
            continue
        if own is not None or not _may_be_added(table, key):
            raise ArchError(f"{locate(table, name)}{table}.{name} {_unlike(arch, table, own, value, key)}")
        values.setdefault(table, {})[name] = value
    parts = {table: replace(part_of(arch, table), **more) for table, more in values.items()}
    origin = ", ".join(filter(None, (arch.origin, file_name)))
    found = _analog(replace(arch, **parts, origin=origin, remarks=()), locate)
    _check_room(arch, found, weight_types, locate)
    return found


def _analog(arch: Arch, locate: Locate) -> Arch:
    return checked(replace(arch, crossbar=replace(arch.crossbar, kind="analog"), remarks=()), locate)


def _said(tables: Table, locate: Locate) -> Iterator[tuple[str, str, Any, Key]]:
    """Table, name, value and key of all that a file says, but names and remarks for people, which may be any."""
    for table, values in read_tables(tables, locate).items():
        for name, value in values.items():
            key = schema()[table][name]
            if (table, name) == _KIND and value != "analog":
                raise ArchError(f'{locate(*_KIND)}crossbar.kind is {_quoted(value)}, not "analog": leave it out')
            if key.check is not TEXT or table in PHYSICS:
                yield table, name, value, key


def _may_be_added(table: str, key: Key) -> bool:
    """Whether a file may say what a chip does not."""
    return table in PHYSICS or (table == "crossbar" and not key.compiled)


def _unlike(arch: Arch, table: str, own: Any, value: Any, key: Key) -> str:
    """What is wrong with a value that the chip does not have, as the rest of a sentence about its key."""
    is_value = f"is {_quoted(value)}"
    if table in PHYSICS and not key.compiled:
        return f"{is_value}, but {_quoted(own)} in {arch.title}: leave it out"
    if table in PHYSICS or table == "crossbar":
        their = "a chip without it" if own is None else f"a chip with {_quoted(own)}"
        return f"{is_value}, but the programs are for {their}: compile for this file with {option('arch')}"
    their = "of which the chip of the image says nothing" if own is None else f"but {_quoted(own)} in the image"
    return f"{is_value}, {their} ({arch.name}): leave it out, or compile for this file with {option('arch')}"


def _check_room(arch: Arch, found: Arch, weight_types: Collection[DType], locate: Locate) -> None:
    """Raise ArchError if weights take other room than the programs were compiled for."""
    for dtype in weight_types:
        for what, before, after in (
            ("cells", arch.weight_slices(dtype), found.weight_slices(dtype)),
            ("crossbars", arch.cells(dtype), found.cells(dtype)),
            ("columns of a crossbar", arch.columns(dtype), found.columns(dtype)),
        ):
            if before != after:
                names = ("slicing", "weight_bits")
                name = next(name for name in names if getattr(found.mapping, name) != getattr(arch.mapping, name))
                raise ArchError(
                    f"{locate('mapping', name)}mapping.{name} is {_quoted(getattr(found.mapping, name))}, so weights of"
                    f" {dtype.numpy} take {after} {what}, but {before} in the programs: compile for this file with"
                    f" {option('arch')}"
                )


def _quoted(value: Any) -> str:
    """A value as a file says it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else shown(value)
