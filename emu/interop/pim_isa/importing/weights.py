"""What the crossbars of a foreign program hold: files beside it, or random numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from emu.errors import InputError, ProgramError
from emu.files import read_text, shown
from emu.image.json_fields import Field, parse_json
from emu.image.npz import read_npy
from emu.interop.pim_isa.importing.array_groups import CoreGroups, Use
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

MAX_JSON = 1 << 30  # bytes of a file of weights
_FILE = re.compile(r"core_\d+_(\d+\.npy|weights\.json)")


def holds_weights(folder: Path) -> bool:
    """Whether a folder has files of weights."""
    return any(_FILE.fullmatch(path.name) for path in folder.iterdir())


@dataclass(frozen=True, slots=True)
class WeightSource:
    """Where weights are from: `folder` with `core_<id>_<group>.npy` or `core_<id>_weights.json`; None: `seed`."""

    folder: Path | None = None
    seed: int = 0

    def weights(self, core: int, groups: CoreGroups) -> Iterator[np.ndarray]:
        """One array [rows, cols] per group of ours, one at a time; raises InputError naming the file."""
        known: dict[str, Field] | None = None
        for use, spec in zip(groups.uses, groups.specs, strict=True):
            if self.folder is None:
                yield _random(np.random.default_rng((self.seed, core, use.number, use.bits)), use, spec)
                continue
            file = self.folder / f"core_{core}_{use.number}.npy"
            if file.exists():
                yield _fitted(read_npy(file), spec, shown(file))
                continue
            if known is None:
                known = _json_of(self.folder, core)
            if f"group{use.number}" not in known:
                raise InputError(
                    f"{shown(self.folder)}: there are no weights of array group {use.number} of core {core}: neither"
                    f" {file.name}, nor group{use.number} in core_{core}_weights.json"
                )
            field = known[f"group{use.number}"]
            yield _fitted(_matrix(field), spec, f"{field.where}: {field.path}")


def _json_of(folder: Path, core: int) -> dict[str, Field]:
    """The groups of `core_<id>_weights.json`: an object "group0": rows of numbers, or a list of groups."""
    file = folder / f"core_{core}_weights.json"
    if not file.exists():
        return {}
    root = parse_json(read_text(file, MAX_JSON, ProgramError), shown(file))
    if isinstance(root.value, list):
        return {f"group{number}": field for number, field in enumerate(root.items())}
    return root.mapping()


def _matrix(field: Field) -> np.ndarray:
    try:
        found = np.array(field.value)
    except ValueError:  # rows of different lengths, or too deep
        found = np.array(None)
    if found.dtype.kind not in "iuf":
        field.refuse("expected rows of numbers, all equally long")
    return found


def _fitted(array: np.ndarray, spec: GroupSpec, where: str) -> np.ndarray:
    """`array` in the type of weights, which must hold it, with zeros for rows and columns that it has not."""
    if array.ndim != 2 or array.shape[0] > spec.rows or array.shape[1] > spec.cols:
        raise ProgramError(f"{where}: weights {list(array.shape)} of a group of [{spec.rows}, {spec.cols}]")
    if array.size and array.dtype.kind not in ("iuf" if spec.weight.is_float else "iu"):
        raise ProgramError(f"{where}: weights of type {array.dtype}, the group has {spec.weight.name}")
    kind = spec.weight.numpy
    limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    numbers = array[np.isfinite(array)]
    if len(numbers) and (numbers.min() < limits.min or numbers.max() > limits.max):
        raise ProgramError(f"{where}: a weight does not fit into {spec.weight.name}")
    full = np.zeros((spec.rows, spec.cols), kind)
    full[: array.shape[0], : array.shape[1]] = array
    return full


def _random(rng: np.random.Generator, use: Use, spec: GroupSpec) -> np.ndarray:
    """Integers of as many bits as a weight has; floats around 0 whose products stay about as large as what goes in."""
    shape = spec.rows, spec.cols
    if spec.weight.is_float:
        return (rng.standard_normal(shape) / np.sqrt(spec.rows)).astype(spec.weight.numpy)
    signed = spec.weight not in (DType.u8, DType.u16)
    low, high = (-(1 << (use.bits - 1)), 1 << (use.bits - 1)) if signed else (0, 1 << use.bits)
    return rng.integers(low, high, shape, spec.weight.numpy, endpoint=False)
