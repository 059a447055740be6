"""Convolutions on a chain of cores, unrolled as PIMCOMP-NN does it: a directory of `.pim` files, of any length."""

import json

import numpy as np
from convolution_core import FIELDS, Convolution, convolution

from emu.interop.pim_isa.isa import CODES

CHANNELS = 16
RECORD = np.dtype(
    [(name, "u1") for name in ("op", "rd", "r1", "flags")] + [(n, "<i4") for n in ("r2", "g1", "g2", "g3")]
)
GROUPS = [1, 1]
STORED = 1 << 24  # address of what comes out


def write_chain(folder, cores, height, width):
    """A program in `folder`: core 0 loads rows of pixels and sends them, the last one stores; how many instructions."""
    folder.mkdir(parents=True)
    shape = {"xbar_size": [9 * CHANNELS, CHANNELS], "cell_precision": 8, "xbar_array_count": 2}
    groups = {f"core{core}": GROUPS for core in range(cores)}
    (folder / "config.json").write_text(json.dumps({"core_cnt": cores, "array_group_map": groups, **shape}))
    total = 0
    for core in range(cores):
        if core in (0, cores - 1):
            code = _end(core, cores, height, width * CHANNELS)
        else:
            layer = Convolution(
                height, width, CHANNELS, outputs=CHANNELS, source=core - 1, target=core + 1, tiles=len(GROUPS)
            )
            code = convolution(layer)
        records = _records(code)
        (folder / f"core_{core}.pim").write_bytes(
            b"PIMB" + np.array([1, len(records)], "<u4").tobytes() + records.tobytes()
        )
        total += len(records)
    return total


def _end(core, cores, height, row):
    """Rows from global memory to the first core that computes, or from the last one into global memory."""
    place = {name: number for number, name in enumerate(FIELDS)}
    rows = []
    for y in range(height):
        far = [(1, 0), (2, y * row + (core != 0) * STORED), (3, 0)]
        moves = [("ld", 3, 1), ("send", 3, 0)] if core == 0 else [("recv", 3, 0), ("st", 1, 3)]
        for register, value in far:
            rows.append({"op": CODES["sldi"], "rd": register, "imm": value})
        for name, rd, rs1 in moves:
            rows.append({"op": CODES[name], "rd": rd, "rs1": rs1, "size": row, "core": 1 if core == 0 else cores - 2})
    matrix = np.zeros((len(rows), len(FIELDS)), np.int64)
    for number, fields in enumerate(rows):
        for name, value in fields.items():
            matrix[number, place[name]] = value
    return matrix


def _records(code):
    """The 20 bytes of each instruction."""
    column = {name: code[:, number] for number, name in enumerate(FIELDS)}
    op = column["op"]
    records = np.zeros(len(code), RECORD)
    is_op = {name: op == code for name, code in CODES.items()}
    sends = is_op["send"] | is_op["recv"]
    records["op"], records["rd"], records["r1"] = op, column["rd"], column["rs1"]
    records["r2"] = np.select(
        [is_op["sldi"] | is_op["lldi"], sends, is_op["mvmul"]], [column["imm"], column["core"], 8], column["rs2"]
    )
    records["g1"] = np.where(is_op["setbw"], 8, 0)
    records["g2"] = np.select([is_op["setbw"], is_op["mvmul"]], [8, column["group"]], 0)
    moved = sends | is_op["ld"] | is_op["st"]
    records["g3"] = np.where(moved, column["size"], np.where(is_op["mvmul"], 0, column["len"]))
    return records
