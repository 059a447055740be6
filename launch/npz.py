"""Reads and writes `.npz` archives without pickle, any array name, and without trusting the sizes they claim."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from emu.errors import InputError

_READ_HEADER = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def write_npz(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write `arrays` uncompressed; unlike `np.savez`, names such as "file" or "/conv1/out" are all legal."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asarray(array), allow_pickle=False)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an archive; raises InputError naming the file (and array) if it is malformed."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {_name(info): _read_member(archive, info, path) for info in archive.infolist()}
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (zipfile.BadZipFile, NotImplementedError, OSError, RuntimeError, EOFError, ValueError) as error:
        raise InputError(f"{path} is not a readable .npz file ({error}): write it with numpy.savez") from None


def _name(info: zipfile.ZipInfo) -> str:
    return info.filename.removesuffix(".npy")


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    """One array, allocated only after its header agrees with the bytes that the archive holds."""
    with archive.open(info) as member:
        shape, fortran, dtype = _header(member, _name(info), path)
        begin = member.tell()
        count = int(np.prod(shape, dtype=object)) if shape else 1
        if begin + count * dtype.itemsize != info.file_size:
            raise InputError(f"array {_name(info)!r} of {path} claims shape {shape} but holds {info.file_size} bytes")
        flat = np.frombuffer(member.read(count * dtype.itemsize), dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _header(member: IO[bytes], name: str, path: Path) -> tuple[tuple[int, ...], bool, np.dtype]:
    """Shape, order and dtype; objects, structures and strings are refused, nothing is unpickled."""
    read = _READ_HEADER.get(npy.read_magic(member))
    if read is None:
        raise InputError(f"array {name!r} of {path} has an unknown .npy version: write it with numpy.savez")
    shape, fortran, dtype = read(member)
    if dtype.kind not in "biufc":
        raise InputError(f"array {name!r} of {path} has elements of type {dtype}, only numbers can be read")
    return shape, fortran, dtype
