"""What NeuroBoard's operations of transform scripts do: they put operations of `neuro` into the payload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from compiler.dialects import neuro
from compiler.dialects.linalg.structure import Structure
from compiler.dialects.origins import origin_of, refuse
from compiler.dialects.transform import neuro as steps
from compiler.offload.building import Number, element, index, turned
from compiler.offload.contraction import letters_of, loops_of, shape_of
from compiler.offload.elements import elements_of
from compiler.offload.emitter import Emitter
from compiler.offload.kinds import dtype_of_element
from compiler.offload.script.state import State
from compiler.offload.script.steps import Step

_MATRIX = 2  # dimensions


def _crossbar(op: steps.CrossbarOp, state: State) -> None:
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


def _alloc(op: steps.CreateAllocOp, state: State) -> None:
    values, made = state.values(op.target, op), list[Operation]()
    functions = dict[FuncOp, list[SSAValue]]()
    for value in values:
        functions.setdefault(_function_of(value), []).append(value)
    for function, inside in functions.items():
        first = function.body.block.first_op
        assert first is not None
        emit = Emitter.before(first)
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


def _write(op: steps.CreateWriteMatrixOp, state: State) -> None:
    allocs = {_function_of(one): one for one in state.operations(op.alloc, op)}
    made = list[Operation]()
    for one in state.operations(op.product, op):
        letters, _ = _product(op, one)
        alloc = allocs.get(_function_of(one))
        if not isinstance(alloc, neuro.AllocOp):
            raise refuse(op, f"has no allocation in the function of {origin_of(one)}: create one there")
        structure = Structure.of(cast(LinalgStructuredOperation, one))
        matrix, loops = structure.inputs[1], loops_of(structure.maps[1])
        if len(loops) != _MATRIX or len(shape_of(matrix)) != _MATRIX:
            raise refuse(op, f"writes matrices, and the second factor of {origin_of(one)} is a {matrix.type}")
        emit = Emitter.before(one)
        rows = loops.index(letters.index("k"))
        offset = _offset(op, emit, matrix, state.made_for[alloc], rows)
        matrix = turned(emit, matrix, [1 - rows, rows])
        write = neuro.WriteMatrixOp.create(operands=[alloc.handle, offset, matrix])
        emit.insert(write)
        made.append(write)
    state.give(op.write, made)


def _offset(by: Operation, emit: Emitter, matrix: SSAValue, roots: Sequence[SSAValue], rows: int) -> SSAValue:
    """Where a tile stands in an allocation: tiles one behind the other, those of one set of rows together."""
    at: list[Number] = [0, 0]
    value = matrix
    while value not in roots:
        source = value.owner
        whole = isinstance(source, tensor.ExtractSliceOp) and len(source.static_offsets) == len(shape_of(value))
        if not isinstance(source, tensor.ExtractSliceOp) or not whole:
            raise refuse(by, "writes what is no part of what the allocation was made for: create one for it")
        dynamic = iter(source.offsets)
        own: list[Number] = [
            next(dynamic) if number < 0 else int(number) for number in source.static_offsets.get_values()
        ]
        at = [_linear(emit, [(a, 1), (b, 1)]) for a, b in zip(at, own, strict=True)]
        value = source.source
    if at == [0, 0]:
        return index(emit, 0)
    height = shape_of(matrix)[rows]
    if height < 0:
        height = emit(tensor.DimOp(matrix, index(emit, rows)))
    width = shape_of(value)[1 - rows]
    if width < 0:
        raise refuse(by, f"writes a part of a {value.type}, whose size is not known")
    found = _linear(emit, [(at[rows], width), (_times(emit, at[1 - rows], height), 1)])
    return index(emit, found) if isinstance(found, int) else found


def _linear(emit: Emitter, terms: Sequence[tuple[Number, int]]) -> Number:
    """A sum of multiples."""
    fixed = sum(number * factor for number, factor in terms if isinstance(number, int))
    moving = [(number, factor) for number, factor in terms if not isinstance(number, int)]
    if not moving:
        return fixed
    if len(moving) == 1 and moving[0][1] == 1 and not fixed:
        return moving[0][0]
    total: AffineExpr = AffineExpr.constant(fixed)
    for place, (_, factor) in enumerate(moving):
        total = total + AffineDimExpr(place) * factor
    operands = [cast(SSAValue, number) for number, _ in moving]
    return emit(affine.ApplyOp(operands, AffineMapAttr(AffineMap(len(moving), 0, (total,)))))


def _times(emit: Emitter, number: Number, factor: Number) -> Number:
    """A product."""
    if isinstance(factor, int):
        return _linear(emit, [(number, factor)])
    if isinstance(number, int):
        return _linear(emit, [(factor, number)])
    return emit(arith.MuliOp(number, factor))


# products -----------------------------------------------------------------------------------------------------------


def _matvec(op: steps.CreateMatvecOp, state: State) -> None:
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
        last = next(one for one in reversed(list(block.ops)) if one in (vector, out))
        emit = Emitter.behind(last)
        given, into = _as_vector(emit, vector.results[0]), _as_matrix(op, emit, out.results[0])
        if element(into) != element(write.matrix):
            write.sums = element(into)
        operands = [write.handle, write.offset, given, into]
        one = neuro.MatvecOp.build(operands=operands, result_types=[[into.type]])
        emit.insert(one)
        made.append(one)
    state.give(op.matvec, made)


def _groups(rank: int) -> Any:
    return ArrayAttr([ArrayAttr([IntegerAttr(place, i64) for place in range(rank)])])


def _as_vector(emit: Emitter, value: SSAValue) -> SSAValue:
    shape = shape_of(value)
    if len(shape) == 1:
        return value
    size = -(1 << 63) if min(shape) < 0 else prod(shape)
    made = TensorType(element(value), [size])
    return emit(
        tensor.CollapseShapeOp.build(
            operands=[value], result_types=[made], properties={"reassociation": _groups(len(shape))}
        )
    )


def _as_matrix(by: Operation, emit: Emitter, value: SSAValue) -> SSAValue:
    shape = shape_of(value)
    if len(shape) == _MATRIX:
        return value
    if len(shape) != 1:
        raise refuse(by, f"adds to a matrix or a vector, not to a {value.type}")
    size = [emit(tensor.DimOp(value, index(emit, 0)))] if shape[0] < 0 else []
    made = TensorType(element(value), [1, shape[0]])
    return emit(tensor.ExpandShapeOp(value, size, _groups(_MATRIX), [1, shape[0]], made))


def _replace(op: steps.ReplaceOp, state: State) -> None:
    targets, others = state.operations(op.target, op), state.operations(op.by, op)
    if len(targets) != len(others):
        raise refuse(op, f"puts {len(others)} operations in the place of {len(targets)}: as many of each")
    state.consume(targets, op)
    for one, other in zip(targets, others, strict=True):
        if len(one.results) != 1 or len(other.results) != 1:
            raise refuse(op, f"cannot put {origin_of(other)} in the place of {origin_of(one)}: both make one value")
        value = _fitted(op, Emitter.before(one), other.results[0], one.results[0])
        one.results[0].replace_all_uses_with(value)
        one.detach()
        one.erase()


def _fitted(by: Operation, emit: Emitter, value: SSAValue, old: SSAValue) -> SSAValue:
    """A value as one of the type of another."""
    if value.type == old.type:
        return value
    shapes = [kind.type.get_shape() if isinstance(kind.type, TensorType) else None for kind in (value, old)]
    made, wanted = shapes
    if made is None or wanted is None or element(value) != element(old):
        raise refuse(by, f"cannot make a {old.type} of a {value.type}")
    kind = TensorType(element(old), wanted)
    if len(made) == len(wanted) and all(a == b or min(a, b) < 0 for a, b in zip(made, wanted, strict=True)):
        return emit(tensor.CastOp(value, kind))
    if len(wanted) == 1:
        return _as_vector(emit, value)
    raise refuse(by, f"cannot make a {old.type} of a {value.type}")


NEURO_STEPS: Mapping[type[Operation], Step] = {
    steps.CrossbarOp: _crossbar,
    steps.CreateAllocOp: _alloc,
    steps.CreateWriteMatrixOp: _write,
    steps.CreateMatvecOp: _matvec,
    steps.ReplaceOp: _replace,
}
