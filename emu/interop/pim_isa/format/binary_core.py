"""The instructions of one core in a `.pim` file: a header, then 20 little-endian bytes each."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from emu.errors import ProgramError
from emu.files import read_bytes, shown
from emu.interop.pim_isa.format.json_core import MAX_INSTRUCTIONS
from emu.interop.pim_isa.format.ops import BY_CODE, REGISTERS, SOFTMAX, UNIT_OF, Unit, among
from emu.interop.pim_isa.format.program import FIELDS, CoreColumns, dtype_of

MAGIC, VERSION, HEADER = b"PIMB", 1, 12
RECORD = np.dtype(
    [("op", "u1"), ("rd", "u1"), ("r1", "u1"), ("flags", "u1"), *((name, "<i4") for name in ("r2", "g1", "g2", "g3"))]
)


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
    vector, transfer = unit == Unit.VECTOR, unit == Unit.TRANSFER
    scalar = (unit == Unit.FRONT) & ~among(op, "nop", "setbw")  # the form has no place for their second source
    found: dict[str, tuple[str, np.ndarray]] = {  # field: the member of a record that has it, and where
        "imm": ("r2", scalar | among(op, "lldi")),
        "len": ("g3", vector | among(op, "lldi", "lmv")),
        "size": ("g3", among(op, "ld", "st", "send", "recv")),
        "core": ("r2", among(op, "send", "recv", "sync")),
        "group": ("g2", among(op, "mvmul")),
        "mbiw": ("r2", among(op, "mvmul")),
        "ibiw": ("g1", among(op, "setbw")),
        "obiw": ("g2", among(op, "setbw")),
        "relu": ("g1", among(op, "mvmul")),
        "event_register": ("g1", among(op, "sync", "wait")),
        "wait_value": ("g2", among(op, "wait")),
        "offset_select": ("g1", (vector | transfer) & ~among(op, "sync", "wait")),
        "offset_value": ("g2", (vector | transfer) & ~among(op, "sync", "wait") | scalar),
    }
    rs2 = np.where(vector, records["r2"], 0)
    for name, column in (("rd", records["rd"]), ("rs1", records["r1"]), ("rs2", rs2)):
        if len(wrong := np.flatnonzero((column < 0) | (column >= REGISTERS))):
            raise ProgramError(
                f"{where}: core {core}, instruction {wrong[0]}, key {name!r}: there is no register {column[wrong[0]]}"
            )
    values = {name: np.where(mask, records[member], 0) for name, (member, mask) in found.items()}
    values |= {"rd": records["rd"], "rs1": records["r1"], "rs2": rs2}
    return CoreColumns(op, **{name: values[name].astype(dtype_of(name)) for name in FIELDS[1:]})
