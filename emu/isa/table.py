"""The instruction table: one row per instruction, from which assembler, checker and engines read all they know."""

from __future__ import annotations

from operator import add, mul, sub
from typing import Any

from emu.isa.dtypes import ALL, BITS, FLOATS, INTEGERS, NUMBERS, PLACES, DType
from emu.isa.instruction import (
    COMBINE,
    OVERFLOW,
    Control,
    CrossbarUse,
    Family,
    Instruction,
    Operand,
    Price,
    RequestKind,
    Traps,
)

_DST = Operand("dst", False, True)
_SRC = Operand("src", True, False)
_A = Operand("src1", True, False)
_B = Operand("src2", True, False)
_RAW_DST = Operand("dst", False, True, None, "size", False)
_RAW_SRC = Operand("src", True, False, None, "size", False)
_SCALAR_DST = Operand("dst", False, True, 0, "1", False)
_OTHER_DST = Operand("dst", False, True, 1)  # of the second type

_PLAIN, _TIMES, _DIVIDES, _SPECIAL = Price.OP, Price.MULTIPLY, Price.DIVIDE, Price.SPECIAL

BY_CODE: dict[int, Instruction] = {}
BY_NAME: dict[str, Instruction] = {}


def add_row(row: Instruction) -> None:
    """Put `row` into the table; codes and names are unique."""
    assert row.code not in BY_CODE and row.name not in BY_NAME
    BY_CODE[row.code] = BY_NAME[row.name] = row


def _row(
    code: int,
    name: str,
    family: Family,
    accepts: tuple[frozenset[DType], ...],
    operands: tuple[Operand, ...],
    fields: tuple[str, ...] = (),
    **rest: Any,
) -> None:
    add_row(Instruction(code, name, family, accepts, operands, fields, **rest))


_C = Family.CONTROL
_row(0, "nop", _C, (), (), control=Control.NOTHING, summary="does nothing")
_row(1, "loop", _C, (), (), ("trips",), control=Control.LOOP, summary="runs its body `trips` times, counter from 0")
_row(2, "halt", _C, (), (), control=Control.HALT, summary="ends the sample")

_S = Family.SCALAR
_row(10, "sldi", _S, (), (), ("rd", "imm"), scalar=int, summary="r[rd] = imm")
_row(
    11,
    "sld",
    _S,
    (),
    (Operand("src", True, False, None, "4", False, space="g"),),
    ("rd",),
    leading=("rd",),
    ask=RequestKind.LOAD,
    summary="r[rd] = int32 from global memory",
)
for _i, (_name, _function) in enumerate((("sadd", add), ("ssub", sub), ("smul", mul))):
    _summary = "r[rd] = r[rs1] op r[rs2], int32, wraps"
    _row(12 + _i, _name, _S, (), (), ("rd", "rs1", "rs2"), scalar=_function, summary=_summary)
for _i, (_name, _function) in enumerate((("saddi", add), ("smuli", mul))):
    _summary = "r[rd] = r[rs1] op imm, int32, wraps"
    _row(15 + _i, _name, _S, (), (), ("rd", "rs1", "imm"), scalar=_function, summary=_summary)

_M = Family.MATRIX
_row(
    20,
    "mvmul",
    _M,
    (NUMBERS, NUMBERS),
    (Operand("dst", False, True, 1, "cols", False), Operand("src", True, False, 0, "rows", False)),
    ("group",),
    flags=("relu", "acc"),
    kernel="crossbar product",
    crossbar=CrossbarUse.MULTIPLY,
    summary="dst = src x group (partial sums per crossbar, added in row-tile order); acc starts from dst",
)
_row(
    21,
    "mmul",
    _M,
    (NUMBERS, NUMBERS, NUMBERS),
    (
        Operand("dst", False, True, 2, "m*n", pitched=True),
        Operand("src1", True, False, 0, "m*k", pitched=True),
        Operand("src2", True, False, 1, "k*n", pitched=True),
    ),
    ("m", "k", "n"),
    flags=("acc",),
    kernel="matrix product",
    price=_TIMES,
    alike=True,
    summary="dst[m,n] = src1[m,k] x src2[k,n] (partial sums of 128 products, added in order); acc starts from dst",
)
_row(
    22,
    "xbwrite",
    _M,
    (NUMBERS,),
    (Operand("src", True, False, 0, "rows*cols", False),),
    ("group", "row", "rows"),
    kernel="crossbar write",
    crossbar=CrossbarUse.WRITE,
    summary="writes `rows` weight rows from row `row` of a group (dense, cols of the group each); in a bank, groups"
    " that share its crossbars lose theirs",
)

for _code, _name, _accepts, _kernel, _price, _rest in (
    (30, "vvadd", NUMBERS, "add", _PLAIN, {"suffixes": OVERFLOW}),
    (31, "vvsub", NUMBERS, "subtract", _PLAIN, {"suffixes": OVERFLOW}),
    (32, "vvmul", NUMBERS, "multiply", _TIMES, {"suffixes": OVERFLOW}),
    (33, "vvdiv", NUMBERS, "divide", _DIVIDES, {"traps": Traps.ZERO}),
    (34, "vvmax", NUMBERS, "maximum", _PLAIN, {}),
    (35, "vvmin", NUMBERS, "minimum", _PLAIN, {}),
    (36, "vvsll", INTEGERS, "shift left", _PLAIN, {}),
    (37, "vvsra", INTEGERS, "shift right", _PLAIN, {}),
    (38, "vvand", BITS, "and", _PLAIN, {}),
    (39, "vvor", BITS, "or", _PLAIN, {}),
    (40, "vvxor", BITS, "exclusive or", _PLAIN, {}),
    (41, "vvpow", NUMBERS, "power of two operands", _SPECIAL, {}),
    (42, "vvmod", NUMBERS, "remainder with the sign of the divisor", _DIVIDES, {"traps": Traps.ZERO}),
    (43, "vvrem", NUMBERS, "remainder with the sign of the dividend", _DIVIDES, {"traps": Traps.ZERO}),
):
    _row(_code, _name, Family.BINARY, (_accepts,), (_DST, _A, _B), ("n",), kernel=_kernel, price=_price, **_rest)
_row(
    45,
    "vvdmul",
    Family.REDUCE,
    (NUMBERS,),
    (_SCALAR_DST, _A, _B),
    ("n",),
    kernel="dot product",
    price=_TIMES,
    summary="dot product, in index order",
)
for _code, _name, _accepts, _kernel in (
    (50, "vveq", ALL, "equal"),
    (51, "vvne", ALL, "not equal"),
    (52, "vvlt", NUMBERS, "less"),
    (53, "vvle", NUMBERS, "less or equal"),
    (54, "vvgt", NUMBERS, "greater"),
    (55, "vvge", NUMBERS, "greater or equal"),
):
    _operands, _summary = (Operand("dst", False, True, -1), _A, _B), "dst (bool) = src1 op src2"
    _row(_code, _name, Family.COMPARE, (_accepts,), _operands, ("n",), kernel=_kernel, price=_PLAIN, summary=_summary)
_row(
    56,
    "vsel",
    Family.SELECT,
    (ALL,),
    (_DST, Operand("mask", True, False, -1), _A, _B),
    ("n",),
    kernel="select",
    price=_PLAIN,
    summary="dst = src1 where mask (bool) else src2",
)

for _code, _name, _accepts, _kernel, _price, _rest in (
    (60, "vsadd", NUMBERS, "add immediate", _PLAIN, {"suffixes": OVERFLOW}),
    (61, "vssub", NUMBERS, "subtract immediate", _PLAIN, {"suffixes": OVERFLOW}),
    (62, "vsmul", NUMBERS, "multiply immediate", _TIMES, {"suffixes": OVERFLOW}),
    (63, "vsdiv", NUMBERS, "divide immediate", _DIVIDES, {"traps": Traps.ZERO}),
    (64, "vsmax", NUMBERS, "maximum immediate", _PLAIN, {}),
    (65, "vsmin", NUMBERS, "minimum immediate", _PLAIN, {}),
    (66, "vlrelu", FLOATS, "leaky relu", _PLAIN, {}),
    (67, "vspow", FLOATS, "power", _SPECIAL, {}),
):
    _row(_code, _name, Family.IMMEDIATE, (_accepts,), (_DST, _SRC), ("n", "imm"), kernel=_kernel, price=_price, **_rest)

for _code, _name, _accepts, _kernel, _price, _summary in (
    (80, "vrelu", NUMBERS, "relu", _PLAIN, "max(x, 0)"),
    (81, "vtanh", FLOATS, "tanh", _SPECIAL, "hyperbolic tangent"),
    (82, "vsigm", FLOATS, "sigmoid", _SPECIAL, "1 / (1 + exp(-x))"),
    (83, "vexp", FLOATS, "exponential", _SPECIAL, "exponential"),
    (84, "vlog", FLOATS, "logarithm", _SPECIAL, "natural logarithm"),
    (85, "vsqrt", FLOATS, "square root", _SPECIAL, "square root"),
    (86, "vabs", NUMBERS, "absolute", _PLAIN, "absolute value"),
    (87, "vneg", NUMBERS, "negate", _PLAIN, "negation"),
    (88, "verf", FLOATS, "error function", _SPECIAL, "error function"),
    (89, "vfloor", FLOATS, "floor", _PLAIN, "largest integer not above"),
    (90, "vceil", FLOATS, "ceiling", _PLAIN, "smallest integer not below"),
    (91, "vround", FLOATS, "round", _PLAIN, "nearest integer, half to even"),
    (92, "vnot", BITS, "complement", _PLAIN, "bitwise (bool: logical) complement"),
    (93, "vsign", NUMBERS, "sign", _PLAIN, "-1, 0 or 1; NaN stays"),
    (180, "vsin", FLOATS, "sine", _SPECIAL, "sine"),
    (181, "vcos", FLOATS, "cosine", _SPECIAL, "cosine"),
    (182, "vtan", FLOATS, "tangent", _SPECIAL, "tangent"),
    (183, "vasin", FLOATS, "inverse sine", _SPECIAL, "inverse sine"),
    (184, "vacos", FLOATS, "inverse cosine", _SPECIAL, "inverse cosine"),
    (185, "vatan", FLOATS, "inverse tangent", _SPECIAL, "inverse tangent"),
    (186, "vsinh", FLOATS, "hyperbolic sine", _SPECIAL, "hyperbolic sine"),
    (187, "vcosh", FLOATS, "hyperbolic cosine", _SPECIAL, "hyperbolic cosine"),
    (188, "vasinh", FLOATS, "inverse hyperbolic sine", _SPECIAL, "inverse hyperbolic sine"),
    (189, "vacosh", FLOATS, "inverse hyperbolic cosine", _SPECIAL, "inverse hyperbolic cosine"),
    (190, "vatanh", FLOATS, "inverse hyperbolic tangent", _SPECIAL, "inverse hyperbolic tangent"),
):
    _row(_code, _name, Family.UNARY, (_accepts,), (_DST, _SRC), ("n",), kernel=_kernel, price=_price, summary=_summary)

for _code, _name, _kernel, _price, _traps in (
    (100, "vavg", "mean", _DIVIDES, Traps.NOTHING),
    (101, "vsum", "sum", _PLAIN, Traps.NEVER),
    (102, "vrmax", "highest", _PLAIN, Traps.NEVER),
    (103, "vrmin", "lowest", _PLAIN, Traps.NEVER),
    (104, "vprod", "product", _TIMES, Traps.NEVER),
):
    _rest = {"price": _price, "traps": _traps, "summary": "one element, in index order"}
    _row(_code, _name, Family.REDUCE, (NUMBERS,), (_SCALAR_DST, _SRC), ("n",), kernel=_kernel, **_rest)

for _code, _name, _kernel, _what in (
    (105, "vargmax", "place of the highest", "largest"),
    (106, "vargmin", "place of the lowest", "smallest"),
):
    _operands = Operand("dst", False, True, 1, "1", False), _SRC
    _rest = {"suffixes": ("last",), "traps": Traps.EMPTY, "summary": f"index of the first {_what} element"}
    _row(_code, _name, Family.REDUCE, (NUMBERS, PLACES), _operands, ("n",), kernel=_kernel, price=_PLAIN, **_rest)

_V = Family.MOVE
for _code, _name, _summary in (
    (110, "vmv", "strided copy (gather, broadcast with stride 0)"),
    (111, "vscatter", "strided copy towards a strided destination"),
):
    _row(_code, _name, _V, (ALL,), (_DST, _SRC), ("n",), kernel="copy", price=_PLAIN, summary=_summary)
_summary = "copies bytes; may overlap (memmove)"
_row(112, "lmv", _V, (), (_RAW_DST, _RAW_SRC), ("size",), kernel="copy", moves=True, summary=_summary)
_row(113, "lldi", _V, (), (_RAW_DST,), ("byte", "size"), kernel="fill", summary="fills bytes")
for _code, _name, _accepts, _fields, _kernel, _summary in (
    (114, "vcvt", ALL, ("n",), "convert", "converts type 0 to type 1; to an integer: half to even, saturating"),
    (115, "vrsu", NUMBERS, ("n", "imm"), "minimum, convert", "min(x, imm), then resize"),
    (116, "vrsl", NUMBERS, ("n", "imm"), "maximum, convert", "max(x, imm), then resize"),
):
    _row(
        _code,
        _name,
        _V,
        (_accepts, _accepts),
        (_OTHER_DST, _SRC),
        _fields,
        kernel=_kernel,
        price=_PLAIN,
        summary=_summary,
    )
_row(
    117,
    "vlut",
    _V,
    (INTEGERS, ALL),
    (
        Operand("dst", False, True, 1, "n*width", pitched=True),
        _SRC,
        Operand("table", True, False, 1, "entries*width", pitched=True),
    ),
    ("n", "entries", "width"),
    suffixes=("wrap",),
    kernel="look up",
    price=_PLAIN,
    traps=Traps.INDEX,
    summary="dst[i] = table[src[i]], rows of `width`; an index outside the table traps; .wrap: below 0 from the end",
)
_row(
    118,
    "vput",
    _V,
    (INTEGERS, ALL),
    (
        Operand("table", True, True, 1, "entries*width", pitched=True),
        Operand("index", True, False, 0),
        Operand("src", True, False, 1, "n*width", pitched=True),
    ),
    ("n", "entries", "width"),
    suffixes=(*COMBINE, "wrap"),
    kernel="put",
    price=_PLAIN,
    traps=Traps.INDEX,
    summary="table[index[i]] = src[i], rows of `width`, in order (or += and so on); indices as in vlut",
)
_row(
    119,
    "vtopk",
    _V,
    (NUMBERS, PLACES),
    (Operand("dst", False, True, 0, "k"), Operand("places", False, True, 1, "k"), _SRC),
    ("n", "k"),
    suffixes=("low",),
    at_most=(("k", "n"),),
    kernel="sort",
    price=_PLAIN,
    summary="the k largest (.low: smallest) elements in order, and their indices; of equal ones the first comes first",
)

_G = Family.GLOBAL
_operands = (_RAW_DST, Operand("src", True, False, None, "size", False, space="g"))
_row(130, "ld", _G, (), _operands, ("size",), ask=RequestKind.LOAD, summary="global to local memory")
_operands = (Operand("dst", False, True, None, "size", False, space="g"), _RAW_SRC)
_row(
    131,
    "st",
    _G,
    (),
    _operands,
    ("size",),
    ask=RequestKind.STORE,
    summary="local to global memory; returns once stored",
)

_N, _MESSAGE = Family.COMMUNICATION, ("core", "size")
_row(140, "send", _N, (), (_RAW_SRC,), _MESSAGE, leading=("core",), ask=RequestKind.SEND, summary="blocking send")
_row(141, "recv", _N, (), (_RAW_DST,), _MESSAGE, leading=("core",), ask=RequestKind.RECV, summary="blocking receive")
_row(142, "sync", _N, (), (), ("core", "event"), ask=RequestKind.SYNC, summary="remote event (of this sample) += 1")
_summary = "waits until that event >= value (equal: is exactly value), then -= value"
_row(143, "wait", _N, (), (), ("event", "value"), flags=("equal",), ask=RequestKind.WAIT, summary=_summary)

LOOP = BY_NAME["loop"].code
HALT = BY_NAME["halt"].code
