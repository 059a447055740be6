"""What `emu export` says of a program beyond PIM-ISA, under one key of `config`: types, tensors, memory.

The instruction set has widths where our machine has types, and no names for what stands in global memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from emu.errors import ProgramError
from emu.files import shown
from emu.image.json_fields import Field, file_name
from emu.image.manifest import TensorSpec
from emu.image.manifest_json import tensor_from_json, tensor_record
from emu.image.npz import map_npy
from emu.isa.dtypes import NUMBERS, DType

KEY = "reram_emu"
_KEYS = ("types", "changes", "weights", "inputs", "outputs", "memory", "global_size")
SOURCE_MAP = "source_map"
_MOST = 1 << 48  # bytes of global memory
_CORES = 1 << 16


@dataclass(frozen=True, slots=True)
class Extension:
    """Types and tensors of a program.

    `types`: the element type of a width in bits, of all cores. `changes`: for cores that have two types of one width,
    the name of a `.npy` file beside the program with an int32 array [changes, 3]: from that instruction on, elements
    of the width `ibiw` have the second, those of the width `obiw` the third as type (codes of `DType`). `weights`: per
    core the type of the cells of each array group. `memory`: the file with the content of global memory. `source_map`:
    the file that tells of the network, see `source_map.py`.
    """

    types: Mapping[int, DType]
    changes: Mapping[int, str] = field(default_factory=dict[int, str])
    weights: Mapping[int, tuple[DType, ...]] = field(default_factory=dict[int, tuple[DType, ...]])
    inputs: tuple[TensorSpec, ...] = ()
    outputs: tuple[TensorSpec, ...] = ()
    memory: str = ""
    global_size: int = 0
    source_map: str = ""

    def record(self) -> dict[str, Any]:
        """Plain values for the key `KEY` of `config`."""
        return {
            "types": {str(width): kind.name for width, kind in sorted(self.types.items())},
            "changes": {f"core{core}": file for core, file in self.changes.items()},
            "weights": {f"core{core}": [kind.name for kind in kinds] for core, kinds in self.weights.items()},
            "inputs": [tensor_record(spec) for spec in self.inputs],
            "outputs": [tensor_record(spec) for spec in self.outputs],
            "memory": self.memory,
            "global_size": self.global_size,
            **({SOURCE_MAP: self.source_map} if self.source_map else {}),
        }


def read_extension(config: Field) -> Extension | None:
    """What the member `KEY` of `config` says; None if there is none. Raises ProgramError naming the key."""
    members = config.mapping()
    return extension_from_json(members[KEY]) if KEY in members else None


def extension_from_json(field: Field) -> Extension:
    """What `Extension.record` wrote; raises ProgramError naming the key."""
    fields = field.object(_KEYS, (SOURCE_MAP,))
    limit = fields["global_size"].integer(0, _MOST)
    return Extension(
        types=dict(_width(key, each) for key, each in fields["types"].mapping().items()),
        changes={core_of(key, each): file_name(each) for key, each in fields["changes"].mapping().items()},
        weights={
            core_of(key, each): tuple(_type(item) for item in each.items())
            for key, each in fields["weights"].mapping().items()
        },
        inputs=tuple(tensor_from_json(each, limit) for each in fields["inputs"].items()),
        outputs=tuple(tensor_from_json(each, limit) for each in fields["outputs"].items()),
        memory=file_name(fields["memory"], empty=True),
        global_size=limit,
        source_map=file_name(fields[SOURCE_MAP]) if SOURCE_MAP in fields else "",
    )


def read_changes(path: Path) -> np.ndarray:
    """The int32 array [changes, 3] of a file that `Extension.changes` names; raises InputError, ProgramError."""
    found = map_npy(path)
    if found.dtype != np.dtype("<i4") or found.ndim != 2 or found.shape[1] != 3:
        raise ProgramError(f"{shown(path)}: expected int32[changes, 3], got {found.dtype}{list(found.shape)}")
    first, kinds = found[:, 0], found[:, 1:]
    if (np.diff(first.astype(np.int64)) <= 0).any() or (len(first) and first[0] < 0):
        raise ProgramError(f"{shown(path)}: the instructions (first column) do not ascend")
    if not np.isin(kinds, [int(kind) for kind in NUMBERS]).all():
        raise ProgramError(f"{shown(path)}: the second and third column are codes of element types of numbers")
    return found


def core_of(key: str, at: Field) -> int:
    """The number in a key such as core3 of the member `at`; raises ProgramError."""
    number = key.removeprefix("core")
    if not key.startswith("core") or not number.isdecimal() or str(int(number[:9])) != number or int(number) >= _CORES:
        at.refuse("expected core0, core1, ...")
    return int(number)


def _type(at: Field) -> DType:
    kind = at.choice(lambda name: DType[name], f"one of {', '.join(sorted(kind.name for kind in NUMBERS))}")
    if kind not in NUMBERS:
        at.refuse(f"{kind.name} is no type of numbers")
    return kind


def _width(key: str, at: Field) -> tuple[int, DType]:
    kind = _type(at)
    if key != str(kind.size * 8):
        at.refuse(f"{kind.name} has {kind.size * 8} bits")
    return kind.size * 8, kind
