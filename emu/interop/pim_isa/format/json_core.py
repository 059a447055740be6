"""The instructions of one core as JSON text, a piece at a time, as columns: no object outlives its piece."""

from __future__ import annotations

import re
from itertools import chain
from operator import attrgetter
from typing import Annotated, NoReturn

import msgspec
import numpy as np

from emu.errors import ProgramError, shown
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns, dtype_of
from emu.interop.pim_isa.isa import BY_NAME, REGISTERS
from emu.wording import counted, nearest

MAX_INSTRUCTIONS = 30_000_000  # of all cores: some 2 GB of columns
INT32 = (-(1 << 31), (1 << 31) - 1)
_Register = Annotated[int, msgspec.Meta(ge=0, lt=REGISTERS)]
_Int = Annotated[int, msgspec.Meta(ge=INT32[0], le=INT32[1])]


class _Offset(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    offset_select: _Int = 0
    offset_value: _Int = 0


class _Instruction(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    """Every field that any instruction may have; what is not there is 0."""

    op: str
    rd: _Register = 0
    rs1: _Register = 0
    rs2: _Register = 0
    imm: int | float = 0
    len: _Int = 0
    size: _Int = 0
    core: _Int = 0
    group: _Int = 0
    mbiw: _Int = 0
    ibiw: _Int = 0
    obiw: _Int = 0
    relu: _Int | bool = 0
    event_register: _Int = 0
    wait_value: _Int = 0
    offset_value: _Int = 0
    offset: _Offset = _Offset()


class _Lenient(_Instruction, gc=False, forbid_unknown_fields=False):
    """As above, with keys that nobody knows ignored."""

    offset: _Offset = _Offset()


_STRICT = msgspec.json.Decoder(list[_Instruction])
_LENIENT = msgspec.json.Decoder(list[_Lenient])
_NUMBERS = [name for name in FIELDS if name not in ("op", "offset_select", "offset_value")]
_values = attrgetter(*_NUMBERS, "offset_value", "offset.offset_select", "offset.offset_value")
_WIDTH = len(_NUMBERS) + 3
_op = attrgetter("op")
_CODES = {name: op.code for name, op in BY_NAME.items()}
_PLACE = re.compile(r" - at `\$\[(\d+)\]\.?([^`]*)`$")
_BYTE = re.compile(r"\(byte (\d+)\)$")
_BETWEEN = re.compile(rb"\}\s*,\s*\{")
_UNKNOWN = re.compile(r"unknown field `(.*?)`")


class JsonCore:
    """Collects the columns of one core; every complaint names the file, the core, the instruction and the key."""

    def __init__(self, where: str, core: int, warnings: list[str], room: int = MAX_INSTRUCTIONS) -> None:
        self.where, self.core, self.warnings = where, core, warnings
        self.room = room  # instructions that the program may still have
        self._parts: list[CoreColumns] = []
        self._count = 0
        self._decoder: msgspec.json.Decoder[list[_Instruction]] | msgspec.json.Decoder[list[_Lenient]] = _STRICT

    def add(self, text: bytes) -> None:
        """Take whole instructions, separated by commas; raises ProgramError."""
        instructions = self._decoded(text)
        if self._count + len(instructions) > self.room:
            raise ProgramError(f"{self.where}: more than {MAX_INSTRUCTIONS} instructions: split the program")
        op = np.zeros(len(instructions), np.uint8)
        for place, name in enumerate(map(_op, instructions)):
            code = _CODES.get(name)
            if code is None:
                self.refuse(place, "op", f"{shown(name)} is no instruction{nearest(name, _CODES)}")
            op[place] = code
        self._parts.append(self._columns(op, instructions))
        self._count += len(instructions)

    def columns(self) -> CoreColumns:
        """All that was added."""
        if not self._parts:
            self.add(b"")
        return CoreColumns.joined(self._parts)

    def refuse(self, place: int, key: str, what: str) -> NoReturn:
        """Raise ProgramError about instruction `place` of the piece at hand."""
        at = f", key {key!r}" if key else ""
        raise ProgramError(f"{self.where}: core {self.core}, instruction {self._count + place}{at}: {what}")

    def _columns(self, op: np.ndarray, instructions: list[_Instruction]) -> CoreColumns:
        count = len(instructions)
        flat = chain.from_iterable(map(_values, instructions))
        try:
            table = np.fromiter(flat, np.float64, count * _WIDTH).reshape(count, _WIDTH)
        except OverflowError:
            table = np.array([[min(max(v, -1e300), 1e300) for v in _values(i)] for i in instructions], np.float64)
        imm = table[:, _NUMBERS.index("imm")]
        offset_value = table[:, -3] + table[:, -1]  # `sld` has the former, all others the latter
        for key, values in (("imm", imm), ("offset_value", offset_value)):
            if (bad := (values < INT32[0]) | (values > INT32[1])).any():
                self.refuse(int(np.argmax(bad)), key, "it does not fit into 32 bits")
        self._warn_of_fractions(imm)
        found = dict(zip(_NUMBERS, table.T, strict=False)) | {"offset_select": table[:, -2]}
        found["offset_value"] = offset_value
        return CoreColumns(op, **{name: found[name].astype(dtype_of(name)) for name in FIELDS[1:]})

    def _warn_of_fractions(self, imm: np.ndarray) -> None:
        broken = imm != np.trunc(imm)
        if broken.any():
            place = self._count + int(np.argmax(broken))
            self.warnings.append(
                f"core {self.core}, instruction {place}: 'imm' is no whole number, its fraction is dropped"
                f" (so in {counted(int(broken.sum()), 'instruction')})"
            )

    def _decoded(self, text: bytes) -> list[_Instruction]:
        text = b"[" + text + b"]"
        try:
            return self._decoder.decode(text)  # pyright: ignore[reportReturnType]
        except msgspec.ValidationError as error:
            unknown, place = _UNKNOWN.search(str(error)), _PLACE.search(str(error))
            if unknown is None or self._decoder is _LENIENT:
                self._refuse_value(str(error))
            at = self._count + int(place[1]) if place else self._count
            self.warnings.append(f"core {self.core}, instruction {at}: key {shown(unknown[1])} is unknown and ignored")
            self._decoder = _LENIENT
            return self._decoded(text[1:-1])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            byte = _BYTE.search(str(error))
            place = len(_BETWEEN.findall(text[: int(byte[1])])) if byte else 0
            reason = _BYTE.sub("", str(error).removeprefix("JSON is malformed: ")).strip()
            if "truncated" in reason:
                place = len(_BETWEEN.findall(text))
                reason = "it ends at the first ']': an instruction holds numbers, no lists, and its texts no brackets"
            self.refuse(place, "", f"malformed JSON: {reason}")
        except RecursionError:
            self.refuse(0, "", "malformed JSON: nested too deeply")

    def _refuse_value(self, message: str) -> NoReturn:
        place = _PLACE.search(message)
        text = _PLACE.sub("", message).replace("`", "")
        self.refuse(int(place[1]) if place else 0, place[2] if place else "", text[:1].lower() + text[1:])
