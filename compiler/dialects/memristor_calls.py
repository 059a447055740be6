"""The library that `memristor` becomes calls of: external functions by name, with what each one takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, MemRefType, StridedLayoutAttr, i32
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

from compiler.dialects.memristor import PAIRS, BarrierOp, GemmOp, GevmOp, NumberedOp, ReleaseOp, WriteOp, element

_DYNAMIC = -(1 << 63)
_RANKS: Mapping[type[NumberedOp], tuple[int, ...]] = {
    WriteOp: (2,), GemmOp: (2, 2), GevmOp: (1, 1), BarrierOp: (), ReleaseOp: (),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A function that does what an operation does; behind the number it takes memrefs with elements of `types`.

    `sums` is the type of the products of what a write writes.
    """

    name: str
    kind: type[NumberedOp]
    types: tuple[Attribute, ...]
    sums: Attribute | None = None

    @property
    def inputs(self) -> tuple[Attribute, ...]:
        """The types of its arguments: of any sizes and strides."""
        return (i32, *map(dynamic, self.types, _RANKS[self.kind]))

    @property
    def signature(self) -> str:
        """For people."""
        return f"({', '.join(map(str, self.inputs))})"

    def takes(self, kind: FunctionType) -> bool:
        """Whether a declaration has arguments of these ranks and elements, in any layout, and no results."""
        given, ranks = kind.inputs.data, _RANKS[self.kind]
        if kind.outputs.data or len(given) != 1 + len(ranks) or given[0] != i32:
            return False
        return all(
            isinstance(one, MemRefType) and one.get_element_type() == each and len(one.get_shape()) == rank
            for one, each, rank in zip(given[1:], self.types, ranks, strict=True)
        )


def dynamic(kind: Attribute, rank: int) -> MemRefType[Attribute]:
    """A memref of any sizes and strides."""
    return MemRefType(kind, [_DYNAMIC] * rank, StridedLayoutAttr([None] * rank, None))


def _calls() -> list[LibraryCall]:
    made = [LibraryCall(kind.name.replace(".", "_"), kind, ()) for kind in (BarrierOp, ReleaseOp)]
    for held, sums in PAIRS:
        suffix = f"_{held}" if held == sums else f"_{held}_{sums}"
        made += [
            LibraryCall(f"memristor_write_to_crossbar{suffix}", WriteOp, (held,), sums),
            LibraryCall(f"memristor_gemm{suffix}", GemmOp, (held, sums)),
            LibraryCall(f"memristor_gevm{suffix}", GevmOp, (held, sums)),
        ]
    return made


LIBRARY: Mapping[str, LibraryCall] = {call.name: call for call in _calls()}


def call_of(op: NumberedOp) -> LibraryCall:
    """The function that does what an operation of `memristor` does; raises ValueError for types that it lacks."""
    types = op.types if isinstance(op, WriteOp) else tuple(map(element, op.operands[1:]))
    sums = types[1] if isinstance(op, WriteOp) else None
    taken = types[:1] if isinstance(op, WriteOp) else types
    for each in LIBRARY.values():
        if isinstance(op, each.kind) and (each.types, each.sums) == (taken, sums):
            return each
    raise ValueError(f"no function of the library does {op.name} for {', '.join(map(str, types))}")


def external(op: Operation) -> func.FuncOp | None:
    """The function without a body that an operation calls; None for any other operation."""
    called = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
    return called if isinstance(called, func.FuncOp) and not called.body.blocks else None


def library_call(op: Operation) -> LibraryCall | None:
    """The function of the library that an operation calls, if it does."""
    called = external(op)
    return LIBRARY.get(called.sym_name.data) if called is not None else None
