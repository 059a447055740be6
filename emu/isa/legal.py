"""Which element types each instruction accepts: one row per instruction, read by the validator and the core."""

from __future__ import annotations

from collections.abc import Sequence

from emu.isa.dtypes import DType
from emu.isa.table import BINARY_NAMES, FLAG_BITS

FLOATS = frozenset({DType.f32, DType.f16})
SIGNED = frozenset({DType.i8, DType.i16, DType.i32, DType.i64})
INTEGERS = SIGNED | {DType.u8, DType.u16}
NUMBERS = FLOATS | INTEGERS
ALL = NUMBERS | {DType.bool}

_FLOAT_FUNCTIONS = ("vtanh", "vsigm", "vexp", "vlog", "vsqrt", "verf", "vfloor", "vceil", "vround", "vlrelu", "vspow")
_BITS = ("vvand", "vvor", "vvxor")
_SHIFTS = ("vvsll", "vvsra")

# name -> the accepted types of each type suffix of the mnemonic.
LEGAL: dict[str, tuple[frozenset[DType], ...]] = {
    "mvmul": (NUMBERS, NUMBERS),
    "mmul": (NUMBERS,),
    "xbwrite": (NUMBERS,),
    **{name: (NUMBERS,) for name in BINARY_NAMES if name not in _BITS + _SHIFTS},
    **{name: (INTEGERS | {DType.bool},) for name in (*_BITS, "vnot")},
    **dict.fromkeys(_SHIFTS, (INTEGERS,)),
    **dict.fromkeys(("vsadd", "vssub", "vsmul", "vsdiv", "vsmax", "vsmin"), (NUMBERS,)),
    **dict.fromkeys(_FLOAT_FUNCTIONS, (FLOATS,)),
    **dict.fromkeys(("vrelu", "vabs", "vneg"), (NUMBERS,)),
    **dict.fromkeys(("vvdmul", "vavg", "vsum", "vrmax", "vrmin"), (NUMBERS,)),
    **dict.fromkeys(("vveq", "vvne", "vsel", "vmv", "vscatter"), (ALL,)),
    **dict.fromkeys(("vvlt", "vvle", "vvgt", "vvge"), (NUMBERS,)),
    "vcvt": (ALL, ALL),
    "vrsu": (NUMBERS, NUMBERS),
    "vrsl": (NUMBERS, NUMBERS),
    "vlut": (INTEGERS, ALL),
}


def illegal_types(name: str, types: Sequence[DType], flags: int = 0) -> str:
    """Why instruction `name` does not accept these types and flag bits, as a sentence part; empty when it does."""
    for position, (given, accepted) in enumerate(zip(types, LEGAL.get(name, ()), strict=False)):
        if given not in accepted:
            names = " ".join(sorted(kind.name for kind in accepted))
            return f"{name} does not take type {given.name} as its type {position + 1} (it takes {names})"
    if name == "mvmul" and types[0].is_float and not types[1].is_float:
        return f"mvmul from {types[0].name} cannot give integers ({types[1].name}): multiply to f32 and convert"
    saturates = flags & (FLAG_BITS["sat"] | FLAG_BITS["trap"])
    if saturates and not all(given in INTEGERS for given in types):
        return f"{name}: .sat and .trap are for integer types, not {types[0].name}"
    return ""


def group_types_fit(input_type: DType, weight: DType, output: DType) -> bool:
    """Whether a crossbar group may have these types: numbers, and float products only into floats."""
    kinds = (input_type, weight, output)
    return all(kind in NUMBERS for kind in kinds) and (output.is_float or not (input_type.is_float or weight.is_float))
