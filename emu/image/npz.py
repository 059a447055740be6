"""Reads and writes `.npy` and `.npz` files without pickle; only those arrays of an archive that are asked for."""

from __future__ import annotations

import contextlib
import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

import numpy as np
from numpy.lib import format as npy

from emu.errors import InputError
from emu.files import Mapped, map_open_file, open_file, shown, size_of
from emu.image.npy_stream import ArrayHeader, read_elements, read_header, skip_elements
from emu.output.stream import OutputStream

_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, OSError, EOFError, ValueError, NotImplementedError, RuntimeError),
    *(tokenize.TokenError, SyntaxError, MemoryError, OverflowError, KeyError, IndexError, TypeError),
)
_TIME = (1980, 1, 1, 0, 0, 0)  # equal arrays give equal files
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # NumPy writes no others
_ENCRYPTED = 1  # flag of a member
_LOCAL_HEADER = 30  # bytes before the name of a member
MAX_CONTENTS = 16 << 20  # bytes of an archive's table of contents
MAX_INFLATED = 1 << 31  # bytes of a compressed array; large uncompressed ones are mapped and need no limit
MAP_FROM = 64 << 20  # bytes: uncompressed arrays of at least so many are mapped, instead of being read


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


class Archive(Mapping[str, np.ndarray]):
    """The arrays of an `.npz` file by name, a context manager: each is read when it is asked for, the others never.

    Everything raises InputError that names the file (and array) if it is malformed.
    """

    def __init__(self, path: Path, map_from: int = MAP_FROM) -> None:
        """Open the file and read its table of contents; see `MAP_FROM` for `map_from`."""
        self.path = path
        self._map_from, self._mapped = map_from, cast(Mapped, b"")  # all of the file, once an array needs it
        self._file = open_file(path)
        try:
            with _told(path, ".npz"):
                self._zip = zipfile.ZipFile(cast("IO[bytes]", _Bounded(self._file)))
        except BaseException:
            self._file.close()
            raise
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    def __getitem__(self, name: str) -> np.ndarray:
        info = self._members[name]
        stored = info.compress_type == zipfile.ZIP_STORED
        with self._opened(info) as member:
            header = read_header(member, info.file_size)
            if stored and info.file_size >= self._map_from:
                skip_elements(member)
                self._mapped = self._mapped or map_open_file(self._file, self.path)
                return header.view(self._mapped, self._begin(info) + header.start)
            if not stored and header.nbytes > MAX_INFLATED:
                raise ValueError(
                    f"{header.nbytes} bytes are more than the {MAX_INFLATED} that a compressed array may have: "
                    "store it uncompressed, as numpy.savez does"
                )
            return read_elements(member, header)

    def header(self, name: str) -> ArrayHeader:
        """Shape and element type of an array, without reading its elements."""
        info = self._members[name]
        with self._opened(info) as member:
            return read_header(member, info.file_size)

    def __contains__(self, name: object) -> bool:
        return name in self._members  # what a Mapping does by default reads the array

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    @contextlib.contextmanager
    def _opened(self, info: zipfile.ZipInfo) -> Generator[IO[bytes]]:
        """The bytes of one array."""
        with _told(self.path, ".npz", f"array {info.filename.removesuffix('.npy')!r}: "):
            if info.flag_bits & _ENCRYPTED:
                raise ValueError("it is encrypted")
            if info.compress_type not in _METHODS:
                raise ValueError(f"compressed by method {info.compress_type}, only deflate is known")
            with self._zip.open(info) as member:
                yield member

    def _begin(self, info: zipfile.ZipInfo) -> int:
        """Where the bytes of an uncompressed array begin in the file."""
        self._file.seek(info.header_offset + _LOCAL_HEADER - 4)  # lengths of name and extra field
        name, extra = (int.from_bytes(self._file.read(2), "little") for _ in range(2))
        return info.header_offset + _LOCAL_HEADER + name + extra


class _Bounded(io.BufferedIOBase):
    """A file of which no more than `MAX_CONTENTS` bytes are read at once: zipfile reads its table in one piece."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_CONTENTS:
            raise ValueError(f"its table of contents has {size} bytes, more than {MAX_CONTENTS}")
        return self._file.read(-1 if size is None else size)


def read_npz(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an archive by name; raises InputError naming the file (and array) if it is malformed."""
    with Archive(path) as archive:
        return dict(archive)


def read_npy(path: Path) -> np.ndarray:
    """The array of a `.npy` file; raises InputError naming the file if it is malformed."""
    with open_file(path) as file, _told(path, ".npy"):
        return read_elements(file, read_header(file, size_of(file)))


def map_npy(path: Path) -> np.ndarray:
    """The array of a `.npy` file, mapped read-only; raises InputError naming the file if it is malformed."""
    with open_file(path) as file, _told(path, ".npy"):
        header = read_header(file, size_of(file))
        return header.view(map_open_file(file, path), header.start)


@contextlib.contextmanager
def _told(path: Path, kind: str, what: str = "") -> Generator[None]:
    try:
        yield
    except _DAMAGED as error:
        raise InputError(f"{shown(path)} is no readable {kind} file: {what}{error or type(error).__name__}") from None
