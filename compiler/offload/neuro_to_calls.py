"""Pass `neuro-to-calls`: NeuroBoard's operations become calls of a library, on memrefs of any sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, NoneAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import neuro
from compiler.dialects.linalg.buffers import AllocOp, CopyOp, MaterializeOp, ToBufferOp, ToTensorOp
from compiler.dialects.memristor import element
from compiler.dialects.origins import rewriting
from compiler.offload.building import index
from compiler.offload.calling import Calls
from compiler.offload.emitter import OperationEmitter

_OPS = (neuro.AllocOp, neuro.WriteMatrixOp, neuro.MatvecOp)


@dataclass(frozen=True)
class NeuroToCallsPass(ModulePass):
    """Calls an external function for each operation of `neuro`, with memrefs cast to any sizes.

    Tensors are put into memory before; what a product is added to has memory of its own, out of which the sum comes.
    Functions are declared at the end of the module, each once.
    """

    name = "neuro-to-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a name that means something else."""
        calls = Calls(op)
        for found in [found for found in op.walk() if isinstance(found, _OPS)]:
            with rewriting(found):
                in_memory = _in_memory(found)
            calls.replace(in_memory)
        calls.declare()


def _in_memory(op: Operation) -> Operation:
    """The operation on memrefs without strides, in the place of one on others or on tensors."""
    if isinstance(op, neuro.AllocOp):
        return op
    emit, behind = OperationEmitter.before(op), OperationEmitter.behind(op)
    if isinstance(op, neuro.WriteMatrixOp):
        op.operands[2] = _read(emit, op.matrix)
        return op
    assert isinstance(op, neuro.MatvecOp)
    op.operands[2] = _read(emit, op.vector)
    if isinstance(op.out.type, MemRefType):
        if not isinstance(op.out.type.layout, NoneAttr):
            target, op.operands[3] = op.out, _copied(emit, op.out)
            behind.insert(CopyOp.create(operands=[op.out, target]))
        return op
    assert op.result is not None
    room = _room(emit, op.out)
    emit.insert(MaterializeOp.build(operands=[op.out, room], result_types=[[]], properties={"writable": UnitAttr()}))
    made = neuro.MatvecOp.build(operands=[op.handle, op.offset, op.vector, room], result_types=[[]])
    emit.insert(made)
    value = emit(ToTensorOp.create(operands=[room], result_types=[op.result.type], properties={"restrict": UnitAttr()}))
    op.result.replace_all_uses_with(value)
    op.detach()
    op.erase()
    return made


def _read(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    """A memref without strides, of which the elements are read."""
    if isinstance(value.type, MemRefType):
        return value if isinstance(value.type.layout, NoneAttr) else _copied(emit, value)
    kind = MemRefType(element(value), _shape(value))
    return emit(ToBufferOp.create(operands=[value], result_types=[kind], properties={"read_only": UnitAttr()}))


def _copied(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    room = _room(emit, value)
    emit.insert(CopyOp.create(operands=[value, room]))
    return room


def _room(emit: OperationEmitter, value: SSAValue) -> SSAValue:
    """Memory of the sizes of a tensor or a memref."""
    asking = memref.DimOp if isinstance(value.type, MemRefType) else tensor.DimOp
    places = [place for place, size in enumerate(_shape(value)) if size < 0]
    sizes = [emit(asking.build(operands=[value, index(emit, place)], result_types=[IndexType()])) for place in places]
    return emit(AllocOp.of(sizes, MemRefType(element(value), _shape(value))))


def _shape(value: SSAValue) -> Sequence[int]:
    return cast("TensorType[Attribute]", value.type).get_shape()
