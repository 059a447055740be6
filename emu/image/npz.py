"""Reads and writes `.npy` and `.npz` files without pickle and without trusting the sizes that they claim."""

from __future__ import annotations

import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from emu.errors import InputError
from emu.output.stream import OutputStream

_READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError),
    *(tokenize.TokenError, SyntaxError, MemoryError, OverflowError, KeyError, IndexError, TypeError),
)
_TIME = (1980, 1, 1, 0, 0, 0)  # equal arrays give equal files
_BLOCK = 1 << 20  # bytes read at once where a whole array is not wanted
MAP_FROM = 64 << 20  # bytes: `read_npz` maps uncompressed arrays of at least so many, instead of reading them


@dataclass(frozen=True, slots=True)
class NpzMember:
    """An array to write whose bytes (C order) come in parts."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]
    parts: Iterable[bytes]


def write_npz(file: Path | OutputStream, arrays: Mapping[str, np.ndarray]) -> None:
    """Write `arrays` uncompressed; unlike `np.savez`, names such as "file" or "/conv1/out" are all legal."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", _TIME), "w", force_zip64=True) as member:
                npy.write_array(member, np.asarray(array), allow_pickle=False)


def write_npz_members(file: Path | OutputStream, members: Iterable[NpzMember]) -> None:
    """Write the file that `write_npz` would write, without holding an array in memory."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for entry in members:
            with archive.open(zipfile.ZipInfo(f"{entry.name}.npy", _TIME), "w", force_zip64=True) as member:
                header = {"descr": npy.dtype_to_descr(entry.dtype), "fortran_order": False, "shape": entry.shape}
                npy.write_array_header_1_0(member, header)
                for part in entry.parts:
                    member.write(part)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an archive by name; raises InputError naming the file (and array) if it is malformed."""
    if not path.is_file():
        raise InputError(f"{path} does not exist")
    try:
        with zipfile.ZipFile(path) as archive:
            return {
                info.filename.removesuffix(".npy"): _read_member(archive, info, path) for info in archive.infolist()
            }
    except _DAMAGED as error:
        raise InputError(f"{path} is no readable .npz file: {error or type(error).__name__}") from None


def read_npy(path: Path) -> np.ndarray:
    """The array of a `.npy` file; raises InputError naming the file if it is malformed."""
    if not path.is_file():
        raise InputError(f"{path} does not exist")
    try:
        with path.open("rb") as file:
            return _read_array(file, path.stat().st_size)
    except _DAMAGED as error:
        raise InputError(f"{path} is no readable .npy file: {error or type(error).__name__}") from None


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    try:
        if info.compress_type == zipfile.ZIP_STORED and info.file_size >= MAP_FROM:
            return _map_member(archive, info, path)
        with archive.open(info) as member:
            return _read_array(member, info.file_size)
    except _DAMAGED as error:
        raise ValueError(f"array {info.filename.removesuffix('.npy')!r}: {error or type(error).__name__}") from None


def _map_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    """One uncompressed array as a read-only view of the file, after its checksum was verified."""
    with archive.open(info) as member:
        shape, fortran, dtype = _read_header(member, info.file_size)
        start = member.tell()
        while member.read(_BLOCK):  # the last read compares the CRC
            pass
    with path.open("rb") as file:
        file.seek(info.header_offset + 26)  # of the local header: lengths of name and extra field
        name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
    offset = info.header_offset + 30 + name + extra + start
    return np.memmap(path, dtype, "r", offset, shape, "F" if fortran else "C").view(np.ndarray)


def _read_array(file: IO[bytes], size: int) -> np.ndarray:
    """One array, allocated only after its header agrees with the `size` bytes that hold it."""
    shape, fortran, dtype = _read_header(file, size)
    count = prod(shape)
    content = file.read(count * dtype.itemsize)
    return np.frombuffer(content, dtype, count).reshape(shape, order="F" if fortran else "C")


def _read_header(file: IO[bytes], size: int) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, whether columns come first, and element type; raises ValueError unless `size` bytes hold just that."""
    version = npy.read_magic(file)
    if version not in _READ_HEADER:
        raise ValueError(f"unknown .npy version {version}")
    with warnings.catch_warnings():  # old names of types and numbers of Python 2 are read, or refused, without a word
        warnings.simplefilter("ignore")
        shape, fortran, dtype = _READ_HEADER[version](file)
    if dtype.kind not in "biufc":
        raise ValueError(f"elements of type {dtype}, only numbers can be read")
    if min(shape, default=0) < 0 or file.tell() + prod(shape) * dtype.itemsize != size:
        raise ValueError(f"shape {shape} of {dtype} does not agree with its {size} bytes")
    return shape, fortran, dtype
