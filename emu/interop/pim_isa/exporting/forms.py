"""The forms of a program file: one JSON object, plain or gzip, or a file per core, JSON or binary."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from emu.interop.pim_isa.exporting.json_text import json_lines
from emu.interop.pim_isa.format.binary_core import MAGIC, MEMBERS, RECORD, VERSION
from emu.interop.pim_isa.format.program import CoreColumns
from emu.output.whole_folder import WholeFolder

Config = dict[str, Any]
_LEVEL = 3  # of gzip: of repetitive text the highest ones make little less


@dataclass(frozen=True, slots=True)
class WrittenSize:
    """How much there is in a program that was written; `memory`: bytes of global memory."""

    cores: int
    instructions: int
    crossbars: int
    memory: int


class Output(Protocol):
    """What text is written to."""

    def write(self, data: bytes, /) -> Any:
        """Write all of `data`."""
        ...


class ProgramForm(Protocol):
    """Writes a program core after core; a context manager, between whose begin and end the cores are written."""

    def core(self, core: int, pieces: Iterable[CoreColumns]) -> int:
        """Write the instructions of a core; returns how many there were."""
        ...


@dataclass(frozen=True, slots=True)
class _OneObject:
    file: Output

    def core(self, core: int, pieces: Iterable[CoreColumns]) -> int:
        self.file.write(f',\n"core{core}":'.encode())
        return _list(self.file, pieces)


@dataclass(frozen=True, slots=True)
class _JsonFiles:
    folder: WholeFolder

    def core(self, core: int, pieces: Iterable[CoreColumns]) -> int:
        with self.folder.file(f"core_{core}.json") as file:
            return _list(file, pieces)


@dataclass(frozen=True, slots=True)
class _BinaryFiles:
    folder: WholeFolder

    def core(self, core: int, pieces: Iterable[CoreColumns]) -> int:
        with self.folder.file(f"core_{core}.pim") as file:
            file.write(MAGIC + struct.pack("<II", VERSION, 0))
            count = 0
            for columns in pieces:
                file.write(_records(columns).data)
                count += columns.count
            file.seek(len(MAGIC) + 4)
            file.write(struct.pack("<I", count))
        return count


@contextmanager
def _one_file(folder: WholeFolder, config: Config) -> Generator[ProgramForm]:
    with folder.file("program.json") as file:
        yield from _object(file, config)


@contextmanager
def _packed_file(folder: WholeFolder, config: Config) -> Generator[ProgramForm]:
    with (
        folder.file("program.json.gz") as file,
        gzip.GzipFile("", "wb", _LEVEL, cast(Any, file), mtime=0) as packed,  # equal programs, equal files
    ):
        yield from _object(packed, config)


def _object(file: Output, config: Config) -> Generator[ProgramForm]:
    file.write(b'{"config":' + json.dumps(config).encode())
    yield _OneObject(file)
    file.write(b"}\n")


@contextmanager
def _json_files(folder: WholeFolder, config: Config) -> Generator[ProgramForm]:
    _write_config(folder, config)
    yield _JsonFiles(folder)


@contextmanager
def _binary_files(folder: WholeFolder, config: Config) -> Generator[ProgramForm]:
    _write_config(folder, config)
    yield _BinaryFiles(folder)


FORMS: dict[str, Callable[[WholeFolder, Config], Any]] = {
    "pimsim": _one_file,
    "json-gz": _packed_file,
    "json-dir": _json_files,
    "pim": _binary_files,
}
PROGRAM_FILES = {"pimsim": "program.json", "json-gz": "program.json.gz", "json-dir": "", "pim": ""}  # "": the folder


def _write_config(folder: WholeFolder, config: Config) -> None:
    with folder.file("config.json") as file:
        file.write(json.dumps(config, indent=1).encode() + b"\n")


def _list(file: Output, pieces: Iterable[CoreColumns]) -> int:
    """A JSON list of instructions, one a line."""
    count = 0
    for columns in pieces:
        if columns.count:
            file.write((",\n" if count else "[\n").encode() + ",\n".join(json_lines(columns)).encode())
        count += columns.count
    file.write(b"\n]" if count else b"[]")
    return count


def _records(columns: CoreColumns) -> np.ndarray:
    records = np.zeros(columns.count, RECORD)
    for member, fields in MEMBERS.items():
        for field in fields:
            records[member] |= getattr(columns, field).astype(records[member].dtype)
    return records
