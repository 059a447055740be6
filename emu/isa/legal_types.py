"""Which element types each instruction accepts, one row per instruction, and which instructions are functions."""

from __future__ import annotations

from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME, Family

ANY = frozenset(DType)
FLOATS = frozenset(code for code in DType if code.is_float)
INTEGERS = ANY - FLOATS - {DType.bool}
NUMBERS = FLOATS | INTEGERS
BITS = INTEGERS | {DType.bool}

# Only what differs from "numbers, in every type suffix".
_SPECIAL: dict[str, tuple[frozenset[DType], ...]] = {
    "xbwrite": (ANY,),
    **dict.fromkeys(("vvsll", "vvsra"), (INTEGERS,)),
    **dict.fromkeys(("vvand", "vvor", "vvxor", "vnot"), (BITS,)),
    **dict.fromkeys(("vveq", "vvne", "vvlt", "vvle", "vvgt", "vvge", "vsel"), (ANY,)),
    **dict.fromkeys(("vlrelu", "vspow"), (FLOATS,)),
    **dict.fromkeys(("vtanh", "vsigm", "vexp", "vlog", "vsqrt", "verf", "vfloor", "vceil", "vround"), (FLOATS,)),
    **dict.fromkeys(("vmv", "vscatter"), (ANY,)),
    "vcvt": (ANY, ANY),
    "vlut": (INTEGERS, ANY),
}

LEGAL_TYPES: dict[str, tuple[frozenset[DType], ...]] = {
    name: _SPECIAL.get(name, (NUMBERS,) * spec.types) for name, spec in BY_NAME.items()
}

_EVERY_CORE_HAS = {"mvmul", "xbwrite", "lmv", "lldi"}
_NOT_DIGITAL = {Family.CONTROL, Family.SCALAR, Family.GLOBAL, Family.COMMUNICATION}

# Instructions of the digital unit: an architecture may lack them (`core.functions`).
FUNCTION_NAMES = frozenset(
    name for name, spec in BY_NAME.items() if spec.family not in _NOT_DIGITAL and name not in _EVERY_CORE_HAS
)
