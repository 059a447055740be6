"""The foreign program as it was read, kept in an image: what times it, exports it and counts it starts from that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from emu.errors import ProgramError
from emu.files import read_bytes, read_text, shown
from emu.image.json_fields import parse_json
from emu.image.npz import Archive, write_npz
from emu.image.writer import ImageWriter
from emu.interop.pim_isa.format.array_groups import MAX_CORES, MAX_CROSSBARS, MAX_GROUPS
from emu.interop.pim_isa.format.config_keys import MAX_BYTES, PimsimChip, read_chip
from emu.interop.pim_isa.format.json_core import INT32, MAX_INSTRUCTIONS
from emu.interop.pim_isa.format.network import MAX_BYTES as MAX_TABLE
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns, PimProgram, dtype_of
from emu.interop.pim_isa.isa import BY_CODE, REGISTERS
from emu.interop.rolling.arrays import rolled_from_arrays
from emu.interop.rolling.rolled import MAX_DEPTH, Rolled

FILE, CONFIG, NETWORK = "pimsim.npz", "pimsim_config.json", "pimsim_network.json"
_RAW = len(FIELDS)
# array: number of dimensions, element type, and the count per core that its first axis adds up to ("": one per core)
_ARRAYS: dict[str, tuple[int, type[np.generic], str]] = {
    "core": (1, np.int64, ""),
    "items": (1, np.int64, ""),
    "levels": (1, np.int64, ""),
    "vectors": (1, np.int64, ""),
    "groups": (1, np.int64, ""),
    "trips": (1, np.int64, "items"),
    "end": (1, np.int64, "items"),
    "stride": (2, np.int32, "items"),
    **{f"base.{name}": (1, dtype_of(name), "items") for name in FIELDS},
    "strides": (2, np.int64, "vectors"),
    "crossbars": (1, np.int64, "groups"),
}


_RANGES = {"op": (0, 255), **dict.fromkeys(("rd", "rs1", "rs2"), (0, REGISTERS - 1))}  # others: 32 bits


def is_imported(image: Path) -> bool:
    """Whether the image holds a foreign program."""
    return (image / FILE).exists()


def write_raw(writer: ImageWriter, cores: Mapping[int, Rolled], groups: Mapping[int, tuple[int, ...]]) -> None:
    """Keep the rows, whose first fields are raw ones in the order of FIELDS, and array groups of all cores."""
    parts = list(cores.values())
    levels = max(part.stride.shape[1] for part in parts)
    base = np.concatenate([part.base[:, :_RAW] for part in parts])
    arrays = {
        "core": np.array(list(cores), np.int64),
        "items": np.array([len(part.trips) for part in parts], np.int64),
        "levels": np.array([part.stride.shape[1] for part in parts], np.int64),
        "vectors": np.array([len(part.strides) for part in parts], np.int64),
        "groups": np.array([len(groups[core]) for core in cores], np.int64),
        "trips": np.concatenate([part.trips for part in parts]),
        "end": np.concatenate([part.end for part in parts]),
        "stride": np.concatenate([np.pad(p.stride, ((0, 0), (0, levels - p.stride.shape[1]))) for p in parts]),
        **{f"base.{name}": base[:, place].astype(dtype_of(name)) for place, name in enumerate(FIELDS)},
        "strides": np.concatenate([part.strides[:, :_RAW] for part in parts]),
        "crossbars": np.array([size for core in cores for size in groups[core]], np.int64),
    }
    with writer.add_file(FILE) as file:
        write_npz(file, arrays)


def keep_chip(writer: ImageWriter, config: Path) -> None:
    """Keep a configuration (that `read_chip` accepts) and the table of its network."""
    record = parse_json(read_text(config, MAX_BYTES, ProgramError), shown(config)).value
    network = record["chip_config"]["network_config"]
    table = read_bytes(config.parent / network["net_config_file_path"], MAX_TABLE, ProgramError)
    network["net_config_file_path"] = NETWORK
    with writer.add_file(NETWORK) as file:
        file.write(table)
    with writer.add_file(CONFIG) as file:
        file.write((json.dumps(record, indent=1) + "\n").encode())


def kept_chip(image: Path) -> PimsimChip | None:
    """The configuration that was kept; None: the program came without one."""
    return read_chip(image / CONFIG) if (image / CONFIG).exists() else None


def read_raw(image: Path) -> PimProgram:
    """The program that was imported, instruction for instruction; raises InputError for a damaged file."""
    path = image / FILE
    with Archive(path) as archive:
        arrays = {name: archive[name] for name in _ARRAYS if name in archive}
    _check(arrays, path)
    items, vectors, numbers = (_cuts(arrays[name]) for name in ("items", "vectors", "groups"))
    cores: dict[int, CoreColumns] = {}
    groups: dict[int, tuple[int, ...]] = {}
    room = MAX_INSTRUCTIONS
    for place, core in enumerate(arrays["core"].tolist()):
        kept = _kept(arrays, items[place], vectors[place], int(arrays["levels"][place]))
        rolled = rolled_from_arrays(kept, _RAW, f"{shown(path)}: core {core}", room)
        cores[core] = _columns(rolled, core, path)
        room -= cores[core].count
        groups[core] = tuple(arrays["crossbars"][numbers[place]].tolist())
    return PimProgram(shown(image), cores, groups)


def _kept(arrays: Mapping[str, np.ndarray], items: slice, vectors: slice, levels: int) -> dict[str, np.ndarray]:
    """The arrays of one core."""
    base = np.stack([arrays[f"base.{name}"][items].astype(np.int64) for name in FIELDS], axis=1)
    kept = {name: arrays[name][items] for name in ("trips", "end")}
    return kept | {"base": base, "stride": arrays["stride"][items, :levels], "strides": arrays["strides"][vectors]}


def _cuts(counts: np.ndarray) -> list[slice]:
    ends = np.cumsum(counts)
    return [slice(begin, end) for begin, end in zip((ends - counts).tolist(), ends.tolist(), strict=True)]


def _columns(rolled: Rolled, core: int, path: Path) -> CoreColumns:
    flat = rolled.unrolled()
    for place, name in enumerate(FIELDS):
        low, high = _RANGES.get(name, INT32)
        column = flat[:, place]
        if len(column) and (column.min() < low or column.max() > high):
            raise ProgramError(f"{shown(path)}: core {core}: {name!r} leaves its range {low} to {high}")
    if not np.isin(flat[:, 0], list(BY_CODE)).all():
        raise ProgramError(f"{shown(path)}: core {core}: 'op' has a code that is no instruction")
    return CoreColumns(*(flat[:, place].astype(dtype_of(name)) for place, name in enumerate(FIELDS)))


def _check(arrays: Mapping[str, np.ndarray], path: Path) -> None:
    """Types, shapes and counts of all arrays."""
    for name, (rank, kind, counts) in _ARRAYS.items():
        if not _sound(arrays, name, rank, kind, counts):
            raise ProgramError(f"{shown(path)}: array {name!r} is not as an import writes it: import the program again")
    cores, sizes = arrays["core"], arrays["crossbars"]
    if (np.diff(cores, prepend=-1) <= 0).any() or cores[-1] >= MAX_CORES:
        raise ProgramError(f"{shown(path)}: array 'core' does not number cores in order: import the program again")
    if (arrays["groups"] > MAX_GROUPS).any() or (sizes < 1).any() or (sizes > MAX_CROSSBARS).any():
        raise ProgramError(f"{shown(path)}: array 'crossbars' is none of array groups: import the program again")
    if (arrays["levels"] < 0).any() or (arrays["levels"] > MAX_DEPTH).any():
        raise ProgramError(f"{shown(path)}: array 'levels' has no depths of loops: import the program again")


def _sound(arrays: Mapping[str, np.ndarray], name: str, rank: int, kind: type[np.generic], counts: str) -> bool:
    array = arrays.get(name)
    if array is None or array.ndim != rank or array.dtype != kind:
        return False
    if not counts:
        return len(array) == len(arrays["core"]) > 0
    counted = arrays[counts]
    return not (counted < 0).any() and not (counted > len(array)).any() and bool(counted.sum() == len(array))
