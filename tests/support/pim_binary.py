"""Writes `.pim` files, for tests of their reader."""

import struct

CODES = {
    name: code
    for code, name in enumerate(
        [
            "nop",
            "sldi",
            "sld",
            "sadd",
            "ssub",
            "smul",
            "saddi",
            "smuli",
            "setbw",
            "mvmul",
            "vvadd",
            "vvsub",
            "vvmul",
            "vvdmul",
            "vvmax",
            "vvsll",
            "vvsra",
            "vavg",
            "vrelu",
            "vtanh",
            "vsigm",
            "vsoftmax",
            "vmv",
            "vrsu",
            "vrsl",
            "ld",
            "st",
            "lldi",
            "lmv",
            "send",
            "recv",
            "wait",
            "sync",
        ]
    )
}
SCALARS = ("sldi", "sld", "sadd", "ssub", "smul", "saddi", "smuli")
SIZES = ("ld", "st", "send", "recv")


def record(instruction):
    """The 20 bytes of an instruction in the form of the JSON files."""
    field = instruction.get
    op, offset = field("op"), field("offset", {})
    generic = [
        offset.get("offset_select", 0),
        offset.get("offset_value", 0),
        field("size" if op in SIZES else "len", 0),
    ]
    second = 0
    if op in SCALARS:
        second, generic = field("imm", 0), [0, field("offset_value", 0), 0]
    elif op == "setbw":
        generic = [field("ibiw", 0), field("obiw", 0), 0]
    elif op == "mvmul":
        second, generic = field("mbiw", 0), [field("relu", 0), field("group", 0), 0]
    elif op in ("sync", "wait"):
        second, generic = field("core", 0), [field("event_register", 0), field("wait_value", 0), 0]
    elif op.startswith("v"):
        second = field("rs2", 0)
    elif op in ("send", "recv"):
        second = field("core", 0)
    elif op == "lldi":
        second = field("imm", 0)
    return struct.pack("<4B4i", CODES[op], field("rd", 0), field("rs1", 0), 0, second, *generic)


def binary(instructions):
    """The content of a file."""
    return b"PIMB" + struct.pack("<2I", 1, len(instructions)) + b"".join(map(record, instructions))
