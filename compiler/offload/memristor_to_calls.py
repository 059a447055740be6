"""Pass `memristor-to-calls`: operations on numbered crossbars become calls of a library, by name and element type."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable

from compiler.dialects.linalg.buffers import CastOp
from compiler.dialects.memristor import NumberedOp
from compiler.dialects.memristor_calls import LibraryCall, call_of
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.emitter import Emitter


@dataclass(frozen=True)
class MemristorToCallsPass(ModulePass):
    """Calls an external function for each operation, with memrefs cast to any sizes and strides.

    Functions are declared at the end of the module, each once.
    """

    name = "memristor-to-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a name that means something else."""
        declared = dict[str, LibraryCall]()
        for found in list(op.walk()):
            if isinstance(found, NumberedOp):
                with rewriting(found):
                    call = call_of(found)
                _check_free(found, call, op)
                declared[call.name] = call
                _lower(found, call)
        for name, call in declared.items():
            if SymbolTable.lookup_symbol(op, name) is None:
                op.body.block.add_op(func.FuncOp.external(name, list(call.inputs), []))


def _check_free(op: NumberedOp, call: LibraryCall, module: ModuleOp) -> None:
    """Raise CompileError if a name means something else in this module."""
    known = SymbolTable.lookup_symbol(module, call.name)
    if known is None:
        return
    same = isinstance(known, func.FuncOp) and not known.body.blocks and known.function_type.inputs.data == call.inputs
    if not same:
        raise refuse(op, f"would call @{call.name}, which is something else in this text: rename that")


def _lower(op: NumberedOp, call: LibraryCall) -> None:
    emit, operands = Emitter.before(op), list[SSAValue]()
    for value, wanted in zip(op.operands, call.inputs, strict=True):
        if value.type != wanted:
            value = emit(CastOp.create(operands=[value], result_types=[wanted]))
        operands.append(value)
    emit.insert(func.CallOp(call.name, operands, []))
    op.detach()
    op.erase()
