"""The fields of a row of the instruction table: everything that the other parts need to know of an instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum

from emu.isa.dtypes import INTEGERS, DType


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


class Control(Enum):
    """How an instruction steers the sequencer."""

    NOTHING = "goes on"
    LOOP = "repeats the instructions up to its end"
    HALT = "ends the section"


class RequestKind(IntEnum):
    """What an instruction needs from outside of the core; 0 in columns stands for nothing."""

    SEND = 1
    RECV = 2
    LOAD = 3
    STORE = 4
    SYNC = 5
    WAIT = 6


class CrossbarUse(Enum):
    """What an instruction does with its array group; the value: which types of the group its own ones must be."""

    MULTIPLY = ("input", "output")
    WRITE = ("weight",)


class Traps(Enum):
    """Which data make an instruction trap, beside the suffix `.trap`."""

    NEVER = "none"
    ZERO = "an integer divisor of 0"
    NOTHING = "integers of which there are none"
    EMPTY = "elements of which there are none"
    INDEX = "an index outside of the table"


class Price(Enum):
    """What an element of a digital function costs; the value: the action of the vector unit, as chips price it."""

    OP = "op"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    SPECIAL = "special"  # a function such as tanh


@dataclass(frozen=True, slots=True)
class Operand:
    """An address operand: its role, whether it is read and written, its element type and its extent.

    `type` is the index of the mnemonic's type suffix, -1 for bool, or None for raw bytes. `count` names the number of
    elements (of bytes when `type` is None): "n", "1", "rows" / "cols" (of the array group), "size",
    or a product of fields such as "m*k". `strided` operands may carry an element stride; `pitched` ones, whose elements
    are rows (of as many elements as the last factor of `count` says), also a distance of their rows.
    """

    role: str
    read: bool
    write: bool
    type: int | None = 0
    count: str = "n"
    strided: bool = True
    pitched: bool = False
    space: str = "l"  # "l": local memory, "g": global memory


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of the set.

    `accepts` are the element types that each type suffix of the mnemonic may have. `fields` are the integers (or, for
    "imm", the number) that follow the operands, in textual order, except that `leading` ones stand before them
    (`send core 3, l[0], 64`). `flags` may follow; `suffixes` are mnemonic endings.

    Exactly one of `control`, `scalar`, `ask` and `kernel` says what executes it: the sequencer; a function of ints,
    whose arguments are the fields after "rd"; a request; or a kernel, by its name in `emu.core.kernels`. What is
    `digital` has a `price`, and nothing else: ValueError for a row without.
    """

    code: int
    name: str
    family: Family
    accepts: tuple[frozenset[DType], ...] = ()
    operands: tuple[Operand, ...] = ()
    fields: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    control: Control | None = None
    scalar: Callable[..., int] | None = None
    ask: RequestKind | None = None
    kernel: str = ""
    price: Price | None = None
    crossbar: CrossbarUse | None = None
    traps: Traps = Traps.NEVER
    at_most: tuple[tuple[str, str], ...] = ()  # fields that may not exceed another one
    alike: bool = False  # its types are all floats or all integers
    moves: bool = False  # copies bytes as if it read all of them first: its operands may overlap in any way
    summary: str = ""

    def __post_init__(self) -> None:
        if self.digital != (self.price is not None):
            raise ValueError(f"{self.name}: a digital function has a price, as nothing else")

    @property
    def types(self) -> int:
        """Number of type suffixes of the mnemonic."""
        return len(self.accepts)

    @property
    def digital(self) -> bool:
        """Whether it is a function of the digital unit, that an architecture may lack (`core.functions`)."""
        return bool(self.kernel and self.accepts) and self.crossbar is None

    @property
    def loads_register(self) -> bool:
        """Whether it sets a scalar register to what comes from outside."""
        return self.ask is not None and "rd" in self.fields

    def column(self, field: str) -> str:
        """The program column ("n", "arg0", "arg1", "arg2" or "imm") that holds `field`."""
        return FIELD_COLUMNS[field]

    def text(self, types: Iterable[str], flags: int) -> str:
        """The mnemonic with the names of its types, and the suffixes among the `flags` bits."""
        return ".".join([self.name, *types, *(name for name in self.suffixes if flags & FLAG_BITS[name])])

    def refusal(self, types: Sequence[DType], flags: int = 0) -> str:
        """Why it does not accept these types and flag bits, as a sentence part; empty when it does."""
        for position, (given, accepted) in enumerate(zip(types, self.accepts, strict=True)):
            if given not in accepted:
                names = " ".join(sorted(kind.name for kind in accepted))
                return f"{self.name} does not take type {given.name} as its type {position + 1} (it takes {names})"
        if self.crossbar is CrossbarUse.MULTIPLY and types[0].is_float and not types[1].is_float:
            return (
                f"{self.name} from {types[0].name} cannot give integers ({types[1].name}): multiply to f32 and convert"
            )
        if flags & OVERFLOW_BITS and not all(given in INTEGERS for given in types):
            return f"{self.name}: .sat and .trap are for integer types, not {types[0].name}"
        if flags & COMBINE_BITS and types[-1] is DType.bool:
            return f"{self.name}: {' '.join(f'.{name}' for name in COMBINE)} are for numbers, not bool"
        if self.alike and len({given.is_float for given in types}) > 1:
            return f"{self.name} does not mix floats and integers ({' '.join(given.name for given in types)})"
        return ""

    def may_trap(self, types: Sequence[DType], flags: int, n: int) -> bool:
        """Whether data can make it trap, when it works on `n` elements of these types."""
        if flags & FLAG_BITS["trap"] or self.traps is Traps.INDEX:
            return True
        if self.traps is Traps.EMPTY:
            return n == 0
        divides = self.traps is Traps.ZERO or (self.traps is Traps.NOTHING and n == 0)
        return divides and not types[0].is_float


# Where each field lives. A register triple uses all three args.
FIELD_COLUMNS = {
    "n": "n",
    "size": "n",
    "trips": "n",
    "group": "arg0",
    "core": "arg0",
    "m": "arg0",
    "k": "arg1",
    "width": "arg1",
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

FLAG_BITS = {
    "relu": 1 << 0,
    "acc": 1 << 1,
    "sat": 1 << 2,
    "trap": 1 << 3,
    "last": 1 << 4,
    "wrap": 1 << 5,
    "low": 1 << 6,
    "add": 1 << 7,
    "mul": 1 << 8,
    "max": 1 << 9,
    "min": 1 << 10,
    "equal": 1 << 11,
}
OVERFLOW = ("sat", "trap")
COMBINE = ("add", "mul", "max", "min")
EXCLUSIVE = (OVERFLOW, COMBINE)  # suffixes of which an instruction has at most one
OVERFLOW_BITS, COMBINE_BITS = (sum(FLAG_BITS[name] for name in names) for names in EXCLUSIVE)
