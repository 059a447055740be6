"""The instruction table: one row per instruction, from which assembler, checker and engines read its form."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Family(Enum):
    """What an instruction does, as grouped in the instruction set's documentation."""

    CONTROL = "control"
    SCALAR = "scalar"
    MATRIX = "matrix"
    BINARY = "vector, two operands"
    COMPARE = "vector, comparison"
    SELECT = "vector, select"
    IMMEDIATE = "vector, scalar"
    UNARY = "vector, one operand"
    REDUCE = "reduction"
    MOVE = "move"
    GLOBAL = "global memory"
    COMMUNICATION = "communication"


@dataclass(frozen=True, slots=True)
class Operand:
    """An address operand: its role, whether it is read and written, its element type and its extent.

    `type` is the index of the mnemonic's type suffix, or None for raw bytes. `count` names the number of
    elements (of bytes when `type` is None): "n", "1", "rows" / "cols" (of the array group), "size",
    or a product of fields such as "m*k". `strided` operands may carry an element stride.
    """

    role: str
    read: bool
    write: bool
    type: int | None = 0
    count: str = "n"
    strided: bool = True
    space: str = "l"  # "l": local memory, "g": global memory


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of the set.

    `fields` are the integers (or, for "imm", the number) that follow the operands, in textual order, except that
    `leading` ones stand before them (`send core 3, l[0], 64`); `column` says in which program column each one is
    kept. `flags` may follow; `suffixes` are mnemonic endings.
    """

    code: int
    name: str
    family: Family
    types: int
    operands: tuple[Operand, ...]
    fields: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    request: bool = False
    summary: str = ""

    def column(self, field: str) -> str:
        """The program column ("n", "arg0", "arg1", "arg2" or "imm") that holds `field`."""
        return FIELD_COLUMNS[field]


# Where each field lives. A register triple uses all three args.
FIELD_COLUMNS = {
    "n": "n",
    "size": "n",
    "trips": "n",
    "group": "arg0",
    "core": "arg0",
    "m": "arg0",
    "k": "arg1",
    "byte": "arg0",
    "entries": "arg0",
    "row": "arg1",
    "rows": "n",
    "event": "arg1",
    "value": "arg0",
    "rd": "arg0",
    "rs1": "arg1",
    "rs2": "arg2",
    "imm": "imm",
}

FLAG_BITS = {"relu": 1, "acc": 2, "sat": 4, "trap": 8}

_DST = Operand("dst", False, True)
_ACC = Operand("dst", True, True)
_SRC = Operand("src", True, False)
_A = Operand("src1", True, False)
_B = Operand("src2", True, False)
_RAW_DST = Operand("dst", False, True, None, "size", False)
_RAW_SRC = Operand("src", True, False, None, "size", False)
_SCALAR_DST = Operand("dst", False, True, 0, "1", False)

_rows: list[Instruction] = []


def _row(code: int, name: str, family: Family, types: int, operands: tuple[Operand, ...], **rest: object) -> None:
    _rows.append(Instruction(code, name, family, types, operands, **rest))  # type: ignore[arg-type]


_C = Family.CONTROL
_row(0, "nop", _C, 0, (), summary="does nothing")
_row(1, "loop", _C, 0, (), fields=("trips",), summary="runs its body `trips` times, counter from 0")
_row(2, "halt", _C, 0, (), summary="ends the sample")

_S = Family.SCALAR
_row(10, "sldi", _S, 0, (), fields=("rd", "imm"), summary="r[rd] = imm")
_row(
    11,
    "sld",
    _S,
    0,
    (Operand("src", True, False, None, "4", False, "g"),),
    fields=("rd",),
    leading=("rd",),
    request=True,
    summary="r[rd] = int32 from global memory",
)
for _i, _name in enumerate(("sadd", "ssub", "smul")):
    _row(12 + _i, _name, _S, 0, (), fields=("rd", "rs1", "rs2"), summary="r[rd] = r[rs1] op r[rs2], int32, wraps")
for _i, _name in enumerate(("saddi", "smuli")):
    _row(15 + _i, _name, _S, 0, (), fields=("rd", "rs1", "imm"), summary="r[rd] = r[rs1] op imm, int32, wraps")

_M = Family.MATRIX
_row(
    20,
    "mvmul",
    _M,
    2,
    (Operand("dst", False, True, 1, "cols", False), Operand("src", True, False, 0, "rows", False)),
    fields=("group",),
    flags=("relu", "acc"),
    summary="dst = src x group (partial sums per crossbar, added in row-tile order); acc starts from dst",
)
_row(
    21,
    "mmul",
    _M,
    1,
    (
        Operand("dst", False, True, 0, "m*n", False),
        Operand("src1", True, False, 0, "m*k", False),
        Operand("src2", True, False, 0, "k*n", False),
    ),
    fields=("m", "k", "n"),
    summary="dst[m,n] = src1[m,k] x src2[k,n] on the digital unit, sums in index order",
)
_row(
    22,
    "xbwrite",
    _M,
    1,
    (Operand("src", True, False, 0, "rows*cols", False),),
    fields=("group", "row", "rows"),
    summary="writes `rows` weight rows from row `row` of a group (dense, cols of the group each)",
)

BINARY_NAMES = ("vvadd", "vvsub", "vvmul", "vvdiv", "vvmax", "vvmin", "vvsll", "vvsra", "vvand", "vvor", "vvxor")
for _i, _name in enumerate(BINARY_NAMES):
    _arith = _name in ("vvadd", "vvsub", "vvmul")
    _row(30 + _i, _name, Family.BINARY, 1, (_DST, _A, _B), fields=("n",), suffixes=("sat", "trap") if _arith else ())
_row(45, "vvdmul", Family.REDUCE, 1, (_SCALAR_DST, _A, _B), fields=("n",), summary="dot product, in index order")
for _i, _name in enumerate(("vveq", "vvne", "vvlt", "vvle", "vvgt", "vvge")):
    _dst = Operand("dst", False, True, -1)  # type -1: bool
    _row(50 + _i, _name, Family.COMPARE, 1, (_dst, _A, _B), fields=("n",), summary="dst (bool) = src1 op src2")
_row(
    56,
    "vsel",
    Family.SELECT,
    1,
    (_DST, Operand("mask", True, False, -1), _A, _B),
    fields=("n",),
    summary="dst = src1 where mask (bool) else src2",
)

IMMEDIATE_NAMES = ("vsadd", "vssub", "vsmul", "vsdiv", "vsmax", "vsmin", "vlrelu", "vspow")
for _i, _name in enumerate(IMMEDIATE_NAMES):
    _arith = _name in ("vsadd", "vssub", "vsmul")
    _row(
        60 + _i,
        _name,
        Family.IMMEDIATE,
        1,
        (_DST, _SRC),
        fields=("n", "imm"),
        suffixes=("sat", "trap") if _arith else (),
    )

UNARY_NAMES = (
    ("vrelu", "max(x, 0)"),
    ("vtanh", "hyperbolic tangent"),
    ("vsigm", "1 / (1 + exp(-x))"),
    ("vexp", "exponential"),
    ("vlog", "natural logarithm"),
    ("vsqrt", "square root"),
    ("vabs", "absolute value"),
    ("vneg", "negation"),
    ("verf", "error function"),
    ("vfloor", "largest integer not above"),
    ("vceil", "smallest integer not below"),
    ("vround", "nearest integer, half to even"),
    ("vnot", "bitwise (bool: logical) complement"),
)
for _i, (_name, _summary) in enumerate(UNARY_NAMES):
    _row(80 + _i, _name, Family.UNARY, 1, (_DST, _SRC), fields=("n",), summary=_summary)

for _i, _name in enumerate(("vavg", "vsum", "vrmax", "vrmin")):
    _row(100 + _i, _name, Family.REDUCE, 1, (_SCALAR_DST, _SRC), fields=("n",), summary="one element, in index order")

_V = Family.MOVE
_row(110, "vmv", _V, 1, (_DST, _SRC), fields=("n",), summary="strided copy (gather, broadcast with stride 0)")
_row(111, "vscatter", _V, 1, (_DST, _SRC), fields=("n",), summary="strided copy towards a strided destination")
_row(112, "lmv", _V, 0, (_RAW_DST, _RAW_SRC), fields=("size",), summary="copies bytes; may overlap (memmove)")
_row(113, "lldi", _V, 0, (_RAW_DST,), fields=("byte", "size"), summary="fills bytes")
_row(
    114,
    "vcvt",
    _V,
    2,
    (Operand("dst", False, True, 1), _SRC),
    fields=("n",),
    summary="converts type 0 to type 1; to an integer: half to even, saturating",
)
_row(
    115, "vrsu", _V, 2, (Operand("dst", False, True, 1), _SRC), fields=("n", "imm"), summary="min(x, imm), then resize"
)
_row(
    116, "vrsl", _V, 2, (Operand("dst", False, True, 1), _SRC), fields=("n", "imm"), summary="max(x, imm), then resize"
)
_row(
    117,
    "vlut",
    _V,
    2,
    (
        Operand("dst", False, True, 1),
        _SRC,
        Operand("table", True, False, 1, "entries", False),
    ),
    fields=("n", "entries"),
    summary="dst = table[src]; an index outside the table traps",
)

_G = Family.GLOBAL
_row(
    130,
    "ld",
    _G,
    0,
    (_RAW_DST, Operand("src", True, False, None, "size", False, "g")),
    fields=("size",),
    request=True,
    summary="global to local memory",
)
_row(
    131,
    "st",
    _G,
    0,
    (Operand("dst", False, True, None, "size", False, "g"), _RAW_SRC),
    fields=("size",),
    request=True,
    summary="local to global memory; returns once stored",
)

_N = Family.COMMUNICATION
_row(140, "send", _N, 0, (_RAW_SRC,), fields=("core", "size"), leading=("core",), request=True, summary="blocking send")
_row(
    141,
    "recv",
    _N,
    0,
    (_RAW_DST,),
    fields=("core", "size"),
    leading=("core",),
    request=True,
    summary="blocking receive",
)
_row(142, "sync", _N, 0, (), fields=("core", "event"), request=True, summary="remote event (of this sample) += 1")
_row(
    143,
    "wait",
    _N,
    0,
    (),
    fields=("event", "value"),
    request=True,
    summary="waits until that event >= value, then -= value",
)

BY_CODE: dict[int, Instruction] = {row.code: row for row in _rows}
BY_NAME: dict[str, Instruction] = {row.name: row for row in _rows}
LOOP = BY_NAME["loop"].code
HALT = BY_NAME["halt"].code
