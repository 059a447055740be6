"""The library that `neuro` becomes calls of: external functions by name, with what each one takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import FunctionType, IndexType, MemRefType, f32
from xdsl.ir import Attribute, Operation

from compiler.dialects.memristor import PAIRS, element
from compiler.dialects.memristor_calls import external
from compiler.dialects.neuro import AllocOp, MatvecOp, WriteMatrixOp

_DYNAMIC = -(1 << 63)


@dataclass(frozen=True, slots=True)
class NeuroCall:
    """A function that does what an operation does; `sums` is the type of the products of what a write writes."""

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
        given = kind.inputs.data
        same_results = kind.outputs.data == self.outputs
        return same_results and len(given) == len(self.inputs) and all(map(_alike, given, self.inputs))


def _alike(one: Attribute, other: Attribute) -> bool:
    if not isinstance(one, MemRefType) or not isinstance(other, MemRefType):
        return one == other
    mine, wanted = cast("Sequence[Any]", one.get_shape()), cast("Sequence[Any]", other.get_shape())
    return one.get_element_type() == other.get_element_type() and len(mine) == len(wanted)


def _of_any_size(kind: Attribute, rank: int) -> Attribute:
    return MemRefType(kind, [_DYNAMIC] * rank)


def _calls() -> list[NeuroCall]:
    place = IndexType()
    made = [NeuroCall("neuro_alloc", AllocOp, (place,), (place,))]
    for held, sums in PAIRS:
        suffix = "" if held == sums == f32 else f"_{held}" if held == sums else f"_{held}_{sums}"
        matrix, vector, out = _of_any_size(held, 2), _of_any_size(held, 1), _of_any_size(sums, 2)
        made += [
            NeuroCall(f"neuro_write_matrix{suffix}", WriteMatrixOp, (place, place, matrix), sums=sums),
            NeuroCall(f"neuro_matvec{suffix}", MatvecOp, (place, place, vector, out)),
        ]
    return made


NEURO_LIBRARY: Mapping[str, NeuroCall] = {call.name: call for call in _calls()}


def neuro_call_of(op: Operation) -> NeuroCall:
    """The function that does what an operation of `neuro` on memrefs does; raises ValueError if none does."""
    shaped = [
        (element(value), len(cast(Any, value.type).get_shape())) for value in op.operands if _is_memref(value.type)
    ]
    wanted = [_of_any_size(*each) for each in shaped]
    sums = None
    if isinstance(op, WriteMatrixOp):
        sums = op.sums if op.sums is not None else shaped[0][0]
    for call in NEURO_LIBRARY.values():
        if isinstance(op, call.kind) and list(filter(_is_memref, call.inputs)) == wanted and call.sums == sums:
            return call
    raise ValueError(f"no function of the library takes {', '.join(map(str, wanted))}")


def _is_memref(kind: Attribute) -> bool:
    return isinstance(kind, MemRefType)


def neuro_call(op: Operation) -> NeuroCall | None:
    """The function of the library that an operation calls, if it does."""
    called = external(op)
    return NEURO_LIBRARY.get(called.sym_name.data) if called is not None else None
