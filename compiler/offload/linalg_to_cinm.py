"""Pass `linalg-to-cinm`: contractions become products that a device may do, in blocks that say what leaves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.dialects.linalg.ops import TransposeOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects.cinm import ComputeOp, GemmOp, GemvOp, YieldOp
from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.building import element, reshaped, turned
from compiler.offload.contraction import contractions, shape_of
from compiler.offload.elements import elements_of, is_product
from compiler.offload.emitter import OperationEmitter


@dataclass(frozen=True)
class LinalgToCinmPass(ModulePass):
    """Writes each noted product of matrices as `cinm.gemm`, whose result is added to what stood there before.

    A product of one row is a `cinm.gemv`. From the first product of a block to the last one all stands in a
    `cinm.compute`, which tells what leaves it.
    """

    name = "linalg-to-cinm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a contraction that is no product of matrices."""
        blocks = dict[Block, list[Operation]]()
        for found in contractions(list(op.walk())):
            if not is_product(found):
                raise refuse(found, "is no product [m, k] x [k, n] yet: run the pass ttgt before linalg-to-cinm")
            block = found.parent_block()
            assert block is not None
            with rewriting(found):
                blocks.setdefault(block, []).append(_product(found))
        for block, products in blocks.items():
            if not isinstance(block.parent_op(), ComputeOp):
                with rewriting(products[0]):
                    _enclose(block, products)


def _product(op: GenericOp) -> Operation:
    """The product that a contraction becomes."""
    elements, (lhs, rhs), kind = elements_of(op), op.inputs, op.results[0].type
    assert elements is not None and isinstance(kind, TensorType)
    emit = OperationEmitter.before(op)
    if shape_of(lhs)[0] == 1:
        matrix, vector = _back(emit, rhs), reshaped(emit, _flat(lhs), shape_of(lhs)[1:])
        made = TensorType(element(op.results[0]), kind.get_shape()[1:])
        product = GemvOp.create(operands=[matrix, vector], result_types=[made])
    else:
        product = GemmOp.create(operands=[lhs, rhs], result_types=[kind])
    emit.insert(product)
    value = reshaped(emit, product.results[0], shape_of(op.results[0]))
    adding = arith.AddfOp if elements.result == f32 else arith.AddiOp
    op.results[0].replace_all_uses_with(emit(adding(op.outputs[0], value)))
    op.detach()
    op.erase()
    for value in (lhs, rhs):
        _forget(value)
    return product


def _back(emit: OperationEmitter, matrix: SSAValue) -> SSAValue:
    """A matrix transposed; what has transposed it before is undone."""
    owner = matrix.owner
    if isinstance(owner, TransposeOp) and owner.permutation == attr.ints([1, 0]):
        return owner.inputs[0]
    return turned(emit, matrix, [1, 0])


def _flat(row: SSAValue) -> SSAValue:
    """What became a matrix of one row, if it was a vector before."""
    owner = row.owner
    if isinstance(owner, tensor.ExpandShapeOp) and len(shape_of(owner.src)) == 1:
        return owner.src
    return row


def _forget(value: SSAValue) -> None:
    """Erase what nobody needs any more."""
    owner = value.owner
    if isinstance(owner, TransposeOp | tensor.ExpandShapeOp) and not list(value.uses):
        operands = list(owner.operands)
        owner.detach()
        owner.erase()
        for operand in operands:
            if isinstance(operand.owner, tensor.EmptyOp) and not list(operand.uses):
                operand.owner.detach()
                operand.owner.erase()


def _enclose(block: Block, products: Sequence[Operation]) -> None:
    """A block of products, from the first to the last one; it hands on what is used outside."""
    inside, emit = set(products), OperationEmitter.before(products[0])
    ops = list(block.ops)
    first = ops.index(products[0])
    count = len(ops) - next(place for place, op in enumerate(reversed(ops)) if op in inside) - first
    moved = ops[first : first + count]
    body = Block()
    inside = set(moved)
    leaving = [
        result
        for op in moved
        for result in op.results
        if any(_in_block(use.operation, block) not in inside for use in result.uses)
    ]
    compute = ComputeOp.create(result_types=[value.type for value in leaving], regions=[Region(body)])
    emit.insert(compute)
    for op in moved:
        op.detach()
        body.add_op(op)
    for value, result in zip(leaving, compute.results, strict=True):
        value.replace_uses_with_if(result, lambda use: _in_block(use.operation, block) is not compute)
        result.name_hint = value.name_hint
    body.add_op(YieldOp(*leaving))


def _in_block(op: Operation, block: Block) -> Operation | None:
    """The operation of a block that is, or holds, another one."""
    inner: Operation | None = op
    while inner is not None and inner.parent is not block:
        inner = inner.parent_op()
    return inner
