"""The table of instructions: how each of ours is written in PIM-ISA. What is not in it is refused by name."""

from __future__ import annotations

from emu.interop.pim_isa.exporting import moves, vectors
from emu.interop.pim_isa.exporting.products import product
from emu.interop.pim_isa.exporting.vectors import Lowering, OneByOne, WithConstant
from emu.interop.pim_isa.isa import OPS

LOWERING: dict[str, Lowering] = {
    "mvmul": product,
    **{op.name: vectors.alike for op in OPS if op.alike},
    "vsadd": WithConstant("vvadd"),
    "vssub": WithConstant("vvsub"),
    "vsmul": WithConstant("vvmul"),
    "vsdiv": vectors.divide,
    "vsmax": vectors.maximum,
    "vsmin": vectors.minimum,
    "vlrelu": vectors.leaky,
    "vneg": vectors.negate,
    "vavg": vectors.mean,
    "vsum": vectors.total,
    "vrmax": OneByOne("vvmax"),
    "vprod": OneByOne("vvmul"),
    "vcvt": vectors.convert,
    "vrsu": vectors.clamp,
    "vrsl": vectors.clamp,
    "vmv": moves.move,
    "vscatter": moves.move,
    "lmv": moves.copy,
    "lldi": moves.fill,
    "ld": moves.load,
    "st": moves.store,
    "send": moves.send,
    "recv": moves.receive,
    "sync": moves.sync,
    "wait": moves.wait,
}
