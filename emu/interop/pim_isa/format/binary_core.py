"""The instructions of one core in a `.pim` file: a header, then 20 little-endian bytes each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from emu.errors import ProgramError
from emu.files import read_bytes, shown
from emu.interop.pim_isa.format.json_core import MAX_INSTRUCTIONS
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns, dtype_of
from emu.interop.pim_isa.isa import BY_CODE, REGISTERS, SOFTMAX, UNIT_OF, PimUnit, among, having

MAGIC, VERSION, HEADER = b"PIMB", 1, 12
RECORD = np.dtype(
    [("op", "u1"), ("rd", "u1"), ("r1", "u1"), ("flags", "u1"), *((name, "<i4") for name in ("r2", "g1", "g2", "g3"))]
)
# Per member of a record the fields that stand there: an instruction has at most one of them.
MEMBERS = {
    "op": ("op",),
    "rd": ("rd",),
    "r1": ("rs1",),
    "r2": ("rs2", "imm", "core", "mbiw"),
    "g1": ("offset_select", "relu", "ibiw", "event_register"),
    "g2": ("offset_value", "group", "obiw", "wait_value"),
    "g3": ("len", "size"),
}


def read_binary_core(path: Path, core: int, room: int = MAX_INSTRUCTIONS) -> CoreColumns:
    """The columns of a `.pim` file; raises ProgramError naming file, core and instruction."""
    content = read_bytes(path, HEADER + RECORD.itemsize * room, ProgramError)
    where = shown(path)
    if content[:4] != MAGIC or len(content) < HEADER:
        raise ProgramError(f"{where}: no PIM binary: it does not begin with {MAGIC.decode()} and a header")
    version, count = np.frombuffer(content, "<u4", 2, 4).tolist()
    if version != VERSION:
        raise ProgramError(f"{where}: version {version} of PIM binaries is unknown; {VERSION} is read")
    if len(content) != HEADER + count * RECORD.itemsize:
        there = (len(content) - HEADER) / RECORD.itemsize
        raise ProgramError(f"{where}: the header promises {count} instructions, the file has {there:g}")
    records = np.frombuffer(content, RECORD, count, HEADER)
    known = np.zeros(256, np.bool_)
    known[list(BY_CODE)] = True
    if len(wrong := np.flatnonzero(~known[records["op"]])):
        code = int(records["op"][wrong[0]])
        name = " (vsoftmax)" if code == SOFTMAX else ""
        raise ProgramError(f"{where}: core {core}, instruction {wrong[0]}: code {code}{name} is no instruction")
    return _columns(records, where, core)


def _columns(records: np.ndarray, where: str, core: int) -> CoreColumns:
    op = records["op"].copy()
    unit = UNIT_OF[op]
    scalar = (unit == PimUnit.FRONT) & ~among(op, "nop", "setbw")  # the form has no place for their second source
    there = {field: having(op, field) for members in MEMBERS.values() for field in members if field != "op"}
    there["imm"] |= scalar
    there["offset_value"] |= scalar
    rs2 = np.where(unit == PimUnit.VECTOR, records["r2"], 0)
    for name, column in (("rd", records["rd"]), ("rs1", records["r1"]), ("rs2", rs2)):
        if len(wrong := np.flatnonzero((column < 0) | (column >= REGISTERS))):
            raise ProgramError(
                f"{where}: core {core}, instruction {wrong[0]}, key {name!r}: there is no register {column[wrong[0]]}"
            )
    values = {
        field: np.where(there[field], records[member], 0)
        for member, fields in MEMBERS.items()
        for field in fields
        if field != "op"
    }
    values |= {"rd": records["rd"], "rs1": records["r1"], "rs2": rs2}
    return CoreColumns(op, **{name: values[name].astype(dtype_of(name)) for name in FIELDS[1:]})
