"""Program files: a flat msgpack map of columns, versioned and strictly decoded.

Every key holds `[dtype, bytes]`, so no length field of a file can make the decoder allocate more than a small
multiple of the file.
"""

from __future__ import annotations

from typing import Any, cast

import msgpack
import numpy as np

from emu.errors import ProgramError, shown
from emu.program.columns import KEYS, Columns, from_columns, to_columns
from emu.program.program import Program

FORMAT = "emu-program"
VERSION = 5
_KINDS = {key: dtype.str for key, dtype in KEYS.items()}  # once: NumPy makes them anew each time
# A file begins with the header of its map and these keys; the number of its core comes next, in so many bytes.
_HEADER = 3
_HEAD = cast("bytes", msgpack.packb({"format": FORMAT, "version": VERSION, "core": 0}))[1:-1]
_BYTES_OF_CORE = {0xCC: 2, 0xCD: 3, 0xCE: 5}  # by the first of them; of those below 128, one
_MEMBERS = 256  # entries of any map or list of the file, at most


def encode_program(program: Program) -> bytes:
    """The bytes of a program file; equal programs give equal bytes. Raises ProgramError for what cannot be stored."""
    record: dict[str, Any] = {"format": FORMAT, "version": VERSION, "core": program.core}
    try:
        columns = to_columns(program)
        record.update({key: [_KINDS[key], column.tobytes()] for key, column in columns.items()})
        return cast("bytes", msgpack.packb(record))
    except (ValueError, TypeError, OverflowError) as error:
        raise ProgramError(f"core {program.core}: the program cannot be stored: {error}") from None


def without_core(data: bytes) -> tuple[int, bytes]:
    """The core in the bytes of a program file, and all that programs have in common which differ in nothing else.

    The core is -1 where its number is not found at its usual place: no other file is like that one then.
    """
    begin = _HEADER + len(_HEAD)
    if not data.startswith(_HEAD, _HEADER) or len(data) == begin:
        return -1, data
    end = begin + _BYTES_OF_CORE.get(data[begin], 1)
    if end == begin + 1 and data[begin] >= 128:
        return -1, data
    return int.from_bytes(data[begin + (end > begin + 1) : end], "big"), data[:begin] + data[end:]


def decode_program(data: bytes, where: str) -> Program:
    """The program in the bytes of a program file; raises ProgramError naming `where`. Run `validate_program` next."""
    record = _unpack(data, where)
    if record.get("format") != FORMAT:
        raise ProgramError(f"{where}: not a program file")
    version = record.get("version")
    if not isinstance(version, int) or version < 1:
        raise ProgramError(f"{where}: program format version {shown(version)} is not a number")
    if version > VERSION:
        raise ProgramError(f"{where}: program format version {version} is newer than this emulator's {VERSION}")
    if version < VERSION:
        raise ProgramError(
            f"{where}: program format version {version} is older than this emulator's {VERSION}: compile again"
        )
    core = record.get("core")
    if not isinstance(core, int) or isinstance(core, bool) or core < 0:
        raise ProgramError(f"{where}: core {shown(core)} is not a core number")
    try:
        return from_columns(core, _columns(record, where))
    except UnicodeDecodeError as error:
        raise ProgramError(
            f"{where}: the name of a node or tensor, {shown(error.object)}, is not UTF-8 text: compile again"
        ) from None
    except ValueError as error:
        raise ProgramError(f"{where}: {error}") from None


def _unpack(data: bytes, where: str) -> dict[Any, Any]:
    try:
        record = msgpack.unpackb(
            data, strict_map_key=True, max_map_len=_MEMBERS, max_array_len=_MEMBERS, max_ext_len=0, max_str_len=_MEMBERS
        )
    except UnicodeDecodeError:
        raise ProgramError(f"{where}: damaged program file: a key in it is not UTF-8 text") from None
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException) as error:
        reason = str(error) or type(error).__name__
        raise ProgramError(f"{where}: damaged or truncated program file: {reason}") from None
    if not isinstance(record, dict):
        raise ProgramError(f"{where}: not a program file")
    return record


def _columns(record: dict[Any, Any], where: str) -> Columns:
    unknown = [key for key in record if key not in KEYS and key not in ("format", "version", "core")]
    missing = [key for key in KEYS if key not in record]
    if unknown or missing:
        what = f"unknown key {unknown[0]!r}" if unknown else f"key {missing[0]!r} is missing"
        raise ProgramError(f"{where}: {what}")
    return {key: _column(record[key], key, where) for key in KEYS}


def _column(value: object, key: str, where: str) -> np.ndarray:
    dtype, wanted = KEYS[key], _KINDS[key]
    match value:
        case [str(kind), bytes(content)] if kind == wanted and len(content) % dtype.itemsize == 0:
            return np.frombuffer(content, dtype)
        case _:
            raise ProgramError(f"{where}: key {key!r} is not a column of {wanted} elements")
