"""Libraries that `memristor` and `neuro` become calls of: external functions by name, with what each one takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, IndexType, MemRefType, StridedLayoutAttr, f32, i32
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

from compiler.dialects import memristor, neuro
from compiler.dialects.memristor import PAIRS

Shaped = tuple[Attribute, int]  # the elements and the rank of a memref


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A function that does what an operation of `kind` does; `sums` is the type of the products of what is written."""

    name: str
    kind: type[Operation]
    inputs: tuple[Attribute, ...]
    outputs: tuple[Attribute, ...] = ()
    sums: Attribute | None = None

    @property
    def signature(self) -> str:
        """For people."""
        return f"({', '.join(map(str, self.inputs))})" + "".join(f" -> {kind}" for kind in self.outputs)

    def takes(self, kind: FunctionType) -> bool:
        """Whether a declaration has arguments of these ranks and elements, in any layout, and these results."""
        given = list(map(_plain, kind.inputs.data))
        return kind.outputs.data == self.outputs and given == list(map(_plain, self.inputs))


def _plain(kind: Attribute) -> Attribute | Shaped:
    """A type without the sizes and the layout of a memref."""
    return (kind.get_element_type(), len(kind.get_shape())) if isinstance(kind, MemRefType) else kind


def _memrefs(kinds: Sequence[Attribute]) -> tuple[Attribute | Shaped, ...]:
    return tuple(_plain(kind) for kind in kinds if isinstance(kind, MemRefType))


def _any_size(kind: Attribute, rank: int) -> Attribute:
    return MemRefType(kind, [DYNAMIC_INDEX] * rank)


def _any_strides(kind: Attribute, rank: int) -> Attribute:
    return MemRefType(kind, [DYNAMIC_INDEX] * rank, StridedLayoutAttr([None] * rank, None))


def _suffix(held: Attribute, sums: Attribute) -> str:
    return f"_{held}" if held == sums else f"_{held}_{sums}"


def _memristor() -> list[LibraryCall]:
    waiting = (memristor.BarrierOp, memristor.ReleaseOp)
    made = [LibraryCall(kind.name.replace(".", "_"), kind, (i32,)) for kind in waiting]
    for held, sums in PAIRS:
        name = "memristor_{}" + _suffix(held, sums)
        matrix = i32, _any_strides(held, 2)
        made.append(LibraryCall(name.format("write_to_crossbar"), memristor.WriteOp, matrix, sums=sums))
        for kind, rank in ((memristor.GemmOp, 2), (memristor.GevmOp, 1)):
            product = i32, _any_strides(held, rank), _any_strides(sums, rank)
            made.append(LibraryCall(name.format(kind.name.partition(".")[2]), kind, product))
    return made


def _neuro() -> list[LibraryCall]:
    place = IndexType()
    made = [LibraryCall("neuro_alloc", neuro.AllocOp, (place,), (place,))]
    for held, sums in PAIRS:
        suffix = "" if held == sums == f32 else _suffix(held, sums)
        matrix = place, place, _any_size(held, 2)
        product = place, place, _any_size(held, 1), _any_size(sums, 2)
        made += [
            LibraryCall(f"neuro_write_matrix{suffix}", neuro.WriteMatrixOp, matrix, sums=sums),
            LibraryCall(f"neuro_matvec{suffix}", neuro.MatvecOp, product),
        ]
    return made


MEMRISTOR_LIBRARY: Mapping[str, LibraryCall] = {call.name: call for call in _memristor()}
NEURO_LIBRARY: Mapping[str, LibraryCall] = {call.name: call for call in _neuro()}
LIBRARY: Mapping[str, LibraryCall] = {**MEMRISTOR_LIBRARY, **NEURO_LIBRARY}
_BY_TYPES = {(call.kind, _memrefs(call.inputs), call.sums): call for call in LIBRARY.values()}


def call_of(op: Operation) -> LibraryCall:
    """The function that does what an operation on memrefs does; raises ValueError if none does."""
    given, sums = _memrefs([value.type for value in op.operands]), None
    if isinstance(op, memristor.WriteOp | neuro.WriteMatrixOp):
        sums = op.sums or cast(Shaped, given[0])[0]
    found = _BY_TYPES.get((type(op), given, sums))
    if found is None:
        raise ValueError(f"no function of the library takes {', '.join(str(value.type) for value in op.operands)}")
    return found


def external(op: Operation) -> func.FuncOp | None:
    """The function without a body that an operation calls; None for any other operation."""
    called = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
    return called if isinstance(called, func.FuncOp) and not called.body.blocks else None


def library_call(op: Operation) -> LibraryCall | None:
    """The function of a library that an operation calls, if it does."""
    called = external(op)
    return LIBRARY.get(called.sym_name.data) if called is not None else None
