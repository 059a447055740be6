"""The table of instructions: how each of ours is written in PIM-ISA. What is not in it is refused by name."""

from __future__ import annotations

from emu.interop.pim_isa.exporting import moves, vectors
from emu.interop.pim_isa.exporting.products import product
from emu.interop.pim_isa.exporting.vectors import Lowering, OneByOne, Same, WithConstant

LOWERING: dict[str, Lowering] = {
    "mvmul": product,
    "vvadd": Same(),
    "vvsub": Same(),
    "vvmul": Same(),
    "vvmax": Same(),
    "vvsll": Same(),
    "vvsra": Same(),
    "vvdmul": Same(single=True),
    "vrelu": Same(),
    "vtanh": Same(),
    "vsigm": Same(),
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
