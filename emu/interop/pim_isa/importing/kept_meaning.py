"""What an import took a program to mean, kept in its image: sizes of crossbars, types, and which group is which.

Together with the raw instructions it is all that a copy of the program needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from emu.errors import ProgramError
from emu.files import read_text, shown
from emu.image.json_fields import Field, parse_json
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.format.array_groups import MAX_GROUPS
from emu.interop.pim_isa.format.extension import Extension, core_of, extension_from_json, read_changes
from emu.interop.pim_isa.importing.element_types import Types
from emu.interop.pim_isa.importing.geometry import Geometry

FILE = "pimsim_meaning.json"
_MOST = 1 << 26  # bytes of that file
_SIZES = ("rows", "cols", "cell_precision", "crossbars")


@dataclass(frozen=True, slots=True)
class Meaning:
    """Crossbars and types of a foreign program; `groups`: per core the foreign number of each array group of ours."""

    geometry: Geometry
    types: Types
    groups: Mapping[int, tuple[int, ...]]


def keep_meaning(writer: ImageWriter, meaning: Meaning) -> None:
    """Write it into an image."""
    types, names = meaning.types, dict[int, str]()
    for core, changes in types.changes.items():
        names[core] = f"pimsim_types_{core}.npy"
        with writer.add_file(names[core]) as file:
            npy.write_array(file, changes, allow_pickle=False)
    record: dict[str, Any] = {
        "geometry": {name: getattr(meaning.geometry, name) for name in _SIZES},
        "types": Extension(types.by_width, names, types.weights).record(),
        "groups": {f"core{core}": list(numbers) for core, numbers in meaning.groups.items()},
    }
    with writer.add_file(FILE) as file:
        file.write((json.dumps(record) + "\n").encode())


def kept_meaning(image: Path) -> Meaning:
    """What was kept in an image; raises InputError for a damaged file."""
    path = image / FILE
    fields = parse_json(read_text(path, _MOST, ProgramError), shown(path)).object(("geometry", "types", "groups"))
    sizes = {name: each.integer(1, 1 << 30) for name, each in fields["geometry"].object(_SIZES).items()}
    extension = extension_from_json(fields["types"])
    changes: dict[int, np.ndarray] = {core: read_changes(image / name) for core, name in extension.changes.items()}
    groups = {core_of(key, each): _numbers(each) for key, each in fields["groups"].mapping().items()}
    return Meaning(Geometry(**sizes), Types(extension.types, changes, extension.weights), groups)


def _numbers(field: Field) -> tuple[int, ...]:
    return tuple(each.integer(0, MAX_GROUPS) for each in field.items())
