"""Pass `cim-to-memristor`: crossbars become numbers, matrices and results memrefs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, TensorType, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from compiler.dialects import cim, memristor
from compiler.dialects.linalg.buffers import AllocOp, ToBufferOp, ToTensorOp
from compiler.dialects.origins import refuse, rewriting
from compiler.interpreter.host.tensors import DYNAMIC
from compiler.offload.building import Number, element, slice_of
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.numbering import numbers_of
from compiler.offload.padding import padded, size_of, widened

_LOWERED = (cim.WriteOp, cim.GemmOp, cim.BarrierOp, cim.ReleaseOp)


@dataclass(frozen=True)
class CimToMemristorPass(ModulePass):
    """Numbers the crossbars, and hands matrices to them in memory.

    A tile that is smaller than its crossbar is padded with zeros before, and its product cut after, so that writes
    are all of one size. A barrier of a product becomes one of its crossbar, which fills all results of it.
    With `widen` crossbars hold what sums are of, for libraries whose products have one type: the bits stay, the cells
    are more.
    """

    name = "cim-to-memristor"
    widen: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for crossbars and products that numbers cannot stand for."""
        for found in op.walk():
            _check(found)
        numbers = numbers_of(op)
        widths = {found: _width(found) for found in op.walk() if isinstance(found, cim.GemmOp)}
        products = dict[SSAValue, SSAValue]()  # what becomes of futures
        for found in [found for found in op.walk() if isinstance(found, _LOWERED)]:
            with rewriting(found):
                _lower(found, widths, products, self.widen)
        for found in widths:
            found.detach()
            found.erase()
        _as_numbers(op, numbers)


def _check(op: Operation) -> None:
    """Raise CompileError for a future that is used by anything but a barrier in reach of its product."""
    arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
    for value in (*op.results, *arguments):
        if isinstance(value.type, cim.FutureType) and not isinstance(op, cim.GemmOp):
            raise refuse(op, "hands a product on that is under way: let a barrier wait for it before")


def _width(op: cim.GemmOp) -> SSAValue | None:
    """The matrix whose columns a product has, where its type does not say how many; raises CompileError."""
    kind: Any = op.future.type
    if kind.value.get_shape()[1] >= 0:
        return None
    written = _last_write(op)
    if written is None:
        raise refuse(op, "has as many columns as a matrix that is written in several places: say how many in its type")
    return written.matrix


def _last_write(op: cim.GemmOp) -> cim.WriteOp | None:
    """The write that comes before a product, on every way to it; None if that depends on the way."""
    at: Operation = op
    while True:
        before = at.prev_op
        if before is not None and any(_writes(before, op.crossbar)):
            return before if isinstance(before, cim.WriteOp) else None
        if before is not None:
            at = before
            continue
        outer = at.parent_op()
        if outer is None or isinstance(outer, func.FuncOp) or any(_writes(outer, op.crossbar)):
            return None
        at = outer


def _writes(op: Operation, crossbar: SSAValue) -> Iterator[bool]:
    return (True for inner in op.walk() if isinstance(inner, cim.WriteOp) and inner.crossbar is crossbar)


def _lower(
    op: Operation, widths: Mapping[cim.GemmOp, SSAValue | None], products: dict[SSAValue, SSAValue], widen: bool
) -> None:
    """Put an operation in the place of one of `cim`, whose operand is a crossbar still."""
    emit = OperationEmitter.before(op)
    if isinstance(op, cim.WriteOp):
        kind = _kind(op.crossbar)
        matrix = padded(emit, op.matrix, kind.matrix.get_shape())
        matrix = widened(emit, matrix, kind.sums) if widen else matrix
        sums = {} if kind.sums == element(matrix) else {"sums": kind.sums}
        emit.insert(memristor.WriteOp.create(operands=[op.crossbar, _buffer(emit, matrix)], properties=sums))
    elif isinstance(op, cim.GemmOp):
        kind = _kind(op.crossbar)
        rows, cols = kind.matrix.get_shape()
        lhs = padded(emit, op.lhs, (DYNAMIC, rows))
        lhs = widened(emit, lhs, kind.sums) if widen else lhs
        count, made = size_of(emit, lhs, 0), MemRefType(kind.sums, [shape_of(lhs)[0], cols])
        result = emit(AllocOp.of([count] if isinstance(count, SSAValue) else [], made))
        emit.insert(memristor.GemmOp.create(operands=[op.crossbar, _buffer(emit, lhs), result]))
        products[op.future] = result
        return
    elif isinstance(op, cim.BarrierOp):
        product = op.future.owner
        assert isinstance(product, cim.GemmOp)
        emit.insert(memristor.BarrierOp.create(operands=[product.crossbar]))
        value = _tensor(emit, products[op.future])
        op.value.replace_all_uses_with(_columns_of_tile(emit, value, widths[product], op.value.type))
    elif isinstance(op, cim.ReleaseOp):
        emit.insert(memristor.ReleaseOp.create(operands=[op.crossbar]))
    op.detach()
    op.erase()


def _columns_of_tile(emit: OperationEmitter, value: SSAValue, matrix: SSAValue | None, wanted: Attribute) -> SSAValue:
    """The columns of a product that a tile has: those that the wanted type says, or else those of a matrix."""
    cols: Number = cast("TensorType[Attribute]", wanted).get_shape()[1] if matrix is None else size_of(emit, matrix, 1)
    if cols != shape_of(value)[1]:
        value = slice_of(emit, value, [0, 0], [size_of(emit, value, 0), cols])
    return value if value.type == wanted else emit(tensor.CastOp(value, cast("TensorType[Attribute]", wanted)))


def _as_numbers(module: ModuleOp, numbers: Mapping[cim.AcquireOp, int]) -> None:
    """Make each crossbar a number of 32 bits, also where it goes around loops and into functions."""
    for op in list(module.walk()):
        if isinstance(op, cim.AcquireOp):
            number = OperationEmitter.before(op)(arith.ConstantOp.from_int_and_width(numbers[op], i32))
            number.name_hint = op.crossbar.name_hint
            op.crossbar.replace_all_uses_with(number)
            op.detach()
            op.erase()
            continue
        arguments = (arg for region in op.regions for block in region.blocks for arg in block.args)
        for value in (*op.results, *arguments):
            if isinstance(value.type, cim.CrossbarType):
                Rewriter.replace_value_with_new_type(value, i32)
    for op in module.walk():
        if isinstance(op, func.FuncOp):
            kinds = op.function_type
            op.properties["function_type"] = FunctionType.from_lists(
                [_number_or(kind) for kind in kinds.inputs], [_number_or(kind) for kind in kinds.outputs]
            )


def _number_or(kind: Attribute) -> Attribute:
    return i32 if isinstance(kind, cim.CrossbarType) else kind


def _kind(crossbar: SSAValue) -> cim.CrossbarType:
    return cast("cim.CrossbarType", crossbar.type)


def _buffer(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    kind = MemRefType(element(value), shape_of(value))
    return emit(ToBufferOp.create(operands=[value], result_types=[kind], properties={"read_only": UnitAttr()}))


def _tensor(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    held = cast("MemRefType[Attribute]", value.type)
    kind = TensorType(held.get_element_type(), held.get_shape())
    return emit(ToTensorOp.create(operands=[value], result_types=[kind], properties={"restrict": UnitAttr()}))
