"""What NeuroBoard's operations of transform scripts do: they put operations of `neuro` into the payload."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, cast

from xdsl.dialects import affine, tensor
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from compiler.dialects import neuro
from compiler.dialects.linalg.structure import Structure
from compiler.dialects.origins import origin_of, refuse
from compiler.dialects.transform import neuro as steps
from compiler.offload.building import element, index, turned
from compiler.offload.contraction import letters_of, loops_of, shape_of
from compiler.offload.elements import elements_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.kinds import dtype_of_element
from compiler.offload.script_shapes import MATRIX, as_matrix, as_vector, fitted, offset_of
from compiler.offload.script_state import ScriptState
from compiler.offload.script_steps import Step


def _crossbar(op: steps.CrossbarOp, state: ScriptState) -> None:
    crossbar, columns = state.context.arch.crossbar, list[int]()
    ops = state.operations(op.target, op)
    for one in ops:
        columns.append(state.context.arch.columns(dtype_of_element(_product(op, one)[1])))
    state.give(op.rows, [crossbar.rows] * len(ops))
    state.give(op.cols, columns)


def _product(by: Operation, one: Operation) -> tuple[str, Attribute]:
    """The letters of the loops of a product of a matrix, and of which type its elements are; raises CompileError."""
    letters = letters_of(one) if isinstance(one, LinalgStructuredOperation) else None
    if letters is None or letters.count("n") != 1 or letters.count("k") != 1 or "b" in letters:
        raise refuse(by, f"cannot put {origin_of(one)} on crossbars: it is no product by a matrix; run ttgt before")
    elements = elements_of(cast(LinalgStructuredOperation, one))
    if elements is None or any(elements.casts):
        raise refuse(by, f"cannot put {origin_of(one)} on crossbars, which do not take its elements: run ttgt before")
    return letters, elements.held


# allocations --------------------------------------------------------------------------------------------------------


def _alloc(op: steps.CreateAllocOp, state: ScriptState) -> None:
    values, made = state.values(op.target, op), list[Operation]()
    functions = dict[FuncOp, list[SSAValue]]()
    for value in values:
        functions.setdefault(_function_of(value), []).append(value)
    for function, inside in functions.items():
        first = function.body.block.first_op
        assert first is not None
        emit = OperationEmitter.before(first)
        size = max(prod(_most(op, value, place) for place in range(len(shape_of(value)))) for value in inside)
        alloc = neuro.AllocOp.create(operands=[index(emit, size)], result_types=[IndexType()])
        emit.insert(alloc)
        state.made_for[alloc] = inside
        made.append(alloc)
    state.give(op.alloc, made)


def _function_of(value: SSAValue | Operation) -> FuncOp:
    owner: Any = value if isinstance(value, Operation) else value.owner
    around: Operation | None = owner if isinstance(owner, Operation) else owner.parent_op()
    while around is not None and not isinstance(around, FuncOp):
        around = around.parent_op()
    assert around is not None
    return around


def _most(by: Operation, value: SSAValue, place: int) -> int:
    """The largest size along a dimension; raises CompileError where none is known."""
    size = shape_of(value)[place]
    if size >= 0:
        return size
    source = value.owner
    if isinstance(source, tensor.ExtractSliceOp) and len(source.static_sizes) == len(shape_of(value)):
        dynamic = [number < 0 for number in source.static_sizes.get_values()]
        given = source.sizes[sum(dynamic[:place])].owner
        if isinstance(given, affine.MinOp):
            bounds = [one.value for one in given.map.data.results if isinstance(one, AffineConstantExpr)]
            if bounds:
                return min(bounds)
    raise refuse(by, f"needs room for a {value.type}, whose size is not known: tile it before, or give its sizes")


# writes -------------------------------------------------------------------------------------------------------------


def _write(op: steps.CreateWriteMatrixOp, state: ScriptState) -> None:
    allocs = {_function_of(one): one for one in state.operations(op.alloc, op)}
    made = list[Operation]()
    for one in state.operations(op.product, op):
        letters, _ = _product(op, one)
        alloc = allocs.get(_function_of(one))
        if not isinstance(alloc, neuro.AllocOp):
            raise refuse(op, f"has no allocation in the function of {origin_of(one)}: create one there")
        structure = Structure.of(cast(LinalgStructuredOperation, one))
        matrix, loops = structure.inputs[1], loops_of(structure.maps[1])
        if len(loops) != MATRIX or len(shape_of(matrix)) != MATRIX:
            raise refuse(op, f"writes matrices, and the second factor of {origin_of(one)} is a {matrix.type}")
        emit = OperationEmitter.before(one)
        rows = loops.index(letters.index("k"))
        offset = offset_of(op, emit, matrix, state.made_for[alloc], rows)
        matrix = turned(emit, matrix, [1 - rows, rows])
        write = neuro.WriteMatrixOp.create(operands=[alloc.handle, offset, matrix])
        emit.insert(write)
        made.append(write)
    state.give(op.write, made)


# products -----------------------------------------------------------------------------------------------------------


def _matvec(op: steps.CreateMatvecOp, state: ScriptState) -> None:
    writes, made = state.operations(op.write, op), list[Operation]()
    vectors, outs = (state.operations(value, op) for value in (op.vector, op.out))
    if not len(writes) == len(vectors) == len(outs):
        raise refuse(
            op, f"takes {len(writes)} matrices, {len(vectors)} vectors and {len(outs)} results: as many of each"
        )
    for write, vector, out in zip(writes, vectors, outs, strict=True):
        if not isinstance(write, neuro.WriteMatrixOp):
            raise refuse(op, f"multiplies by what neuro.write_matrix has written, not by {origin_of(write)}")
        for one in (vector, out):
            if len(one.results) != 1 or not isinstance(one.results[0].type, TensorType):
                raise refuse(op, f"takes what makes one tensor, which {origin_of(one)} does not")
        block = vector.parent_block()
        if block is None or out.parent_block() is not block:
            raise refuse(op, "takes a vector and a result of one block: tile until each product is of one vector")
        there = next((one for one in block.ops if one.is_ancestor(write)), None)
        if there is None and not _is_around(write, block):
            raise refuse(op, f"multiplies where {origin_of(write)} has written nothing: write in the same loops")
        # A matrix that is written in the same block has to be there.
        parts = (vector, out) if there is None else (vector, out, there)
        emit = OperationEmitter.behind(next(one for one in reversed(list(block.ops)) if one in parts))
        given, into = as_vector(emit, vector.results[0]), as_matrix(op, emit, out.results[0])
        if element(into) != element(write.matrix):
            write.sums = element(into)
        operands = [write.handle, write.offset, given, into]
        one = neuro.MatvecOp.build(operands=operands, result_types=[[into.type]])
        emit.insert(one)
        made.append(one)
    state.give(op.matvec, made)


def _is_around(write: Operation, block: Block) -> bool:
    """Whether a write stands before what a block is in."""
    around = block.parent_op()
    while around is not None and around.parent_block() is not write.parent_block():
        around = around.parent_op()
    return around is not None and around.parent_block() is not None and write.is_before_in_block(around)


def _replace(op: steps.ReplaceOp, state: ScriptState) -> None:
    targets, others = state.operations(op.target, op), state.operations(op.by, op)
    if len(targets) != len(others):
        raise refuse(op, f"puts {len(others)} operations in the place of {len(targets)}: as many of each")
    state.consume(targets, op)
    for one, other in zip(targets, others, strict=True):
        if len(one.results) != 1 or len(other.results) != 1:
            raise refuse(op, f"cannot put {origin_of(other)} in the place of {origin_of(one)}: both make one value")
        value = fitted(op, OperationEmitter.before(one), other.results[0], one.results[0])
        one.results[0].replace_all_uses_with(value)
        one.detach()
        one.erase()


NEURO_STEPS: Mapping[type[Operation], Step] = {
    steps.CrossbarOp: _crossbar,
    steps.CreateAllocOp: _alloc,
    steps.CreateWriteMatrixOp: _write,
    steps.CreateMatvecOp: _matvec,
    steps.ReplaceOp: _replace,
}
