"""The scalar functions that bodies of nests are made of, as the vector unit has them: a new one is one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME


class Rule(Enum):
    """How the types of the arguments and the type of the value belong together."""

    SAME = "all of one type"
    COMPARE = "arguments of one type, a bool"
    SELECT = "a bool, then two of the type of the value"
    CONVERT = "any type to any other"


@dataclass(frozen=True, slots=True)
class ScalarFunction:
    """A function of `arity` numbers: its name in bodies and the vector instruction that computes it."""

    name: str
    instruction: str
    arity: int
    rule: Rule = Rule.SAME

    def fault(self, args: Sequence[DType], value: DType) -> str:
        """Why it does not take arguments of these types to a value of that type; empty if it does."""
        if len(args) != self.arity:
            return f"{self.name} takes {self.arity} arguments, not {len(args)}"
        accepted, first = BY_NAME[self.instruction].accepts, (args[1] if self.rule is Rule.SELECT else args[0])
        wanted = {
            Rule.SAME: (value,) * self.arity,
            Rule.COMPARE: (first,) * self.arity,
            Rule.SELECT: (DType.bool, value, value),
            Rule.CONVERT: (first,),
        }[self.rule]
        if tuple(args) != wanted or (self.rule is Rule.COMPARE and value != DType.bool):
            names = ", ".join(kind.name for kind in args)
            return f"{self.name} cannot make {value.name} of {names}: it works on {self.rule.value}"
        if first not in accepted[0]:
            return f"{self.name} does not work on {first.name}"
        return ""

    def types(self, args: Sequence[DType], value: DType) -> tuple[DType, ...]:
        """The type suffixes of the instruction."""
        return {
            Rule.SAME: (value,),
            Rule.COMPARE: (args[0],),
            Rule.SELECT: (value,),
            Rule.CONVERT: (args[0], value),
        }[self.rule]


def _rows(rule: Rule, arity: int, **names: str) -> list[ScalarFunction]:
    return [ScalarFunction(name, instruction, arity, rule) for name, instruction in names.items()]


_TRIGONOMETRIC = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
_ROWS = (
    *_rows(Rule.SAME, 2, add="vvadd", sub="vvsub", mul="vvmul", div="vvdiv", max="vvmax", min="vvmin"),
    *_rows(Rule.SAME, 2, shift_left="vvsll", shift_right="vvsra", pow="vvpow", mod="vvmod", rem="vvrem"),
    *(ScalarFunction(f"bit_{name}", f"vv{name}", 2) for name in ("and", "or", "xor")),
    *_rows(Rule.COMPARE, 2, eq="vveq", ne="vvne", lt="vvlt", le="vvle", gt="vvgt", ge="vvge"),
    *_rows(Rule.SELECT, 3, select="vsel"),
    *_rows(Rule.CONVERT, 1, cast="vcvt"),
    *_rows(Rule.SAME, 1, relu="vrelu", sigmoid="vsigm", exp="vexp", log="vlog", sqrt="vsqrt"),
    *_rows(Rule.SAME, 1, abs="vabs", neg="vneg", erf="verf", floor="vfloor", ceil="vceil", round="vround"),
    *_rows(Rule.SAME, 1, complement="vnot", sign="vsign"),
    *(ScalarFunction(f"{arc}{name}", f"v{arc}{name}", 1) for arc in ("", "a") for name in _TRIGONOMETRIC),
)
SCALAR_FUNCTIONS: Mapping[str, ScalarFunction] = {row.name: row for row in _ROWS}


@dataclass(frozen=True, slots=True)
class Combine:
    """How a reduction puts values together: a function of two, the reduction of a whole vector, the value of none."""

    name: str
    function: str
    vector: str  # the instruction that reduces a vector; empty if there is none

    def start(self, dtype: DType) -> float | int:
        """What changes no value that it is combined with."""
        if self.name in ("max", "min"):
            return extreme(dtype, largest=self.name == "min")
        return {"add": 0, "mul": 1, "bit_and": -1 if dtype != DType.bool else 1, "bit_or": 0}[self.name]


def extreme(dtype: DType, *, largest: bool) -> float | int:
    """The largest or smallest value of a type: infinite for floating-point types."""
    if dtype == DType.bool:
        return int(largest)
    if dtype.is_float:
        return float("inf") if largest else float("-inf")
    bits = 8 * dtype.size
    signed = dtype not in (DType.u8, DType.u16)
    if largest:
        return (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    return -(1 << (bits - 1)) if signed else 0


COMBINES: Mapping[str, Combine] = {
    row.name: row
    for row in (
        Combine("add", "add", "vsum"),
        Combine("mul", "mul", "vprod"),
        Combine("max", "max", "vrmax"),
        Combine("min", "min", "vrmin"),
        Combine("bit_and", "bit_and", ""),
        Combine("bit_or", "bit_or", ""),
    )
}
ROUNDED = frozenset({"add", "mul"})  # of floats: the result depends on the order
