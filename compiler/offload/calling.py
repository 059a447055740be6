"""Operations that become calls of a library, whose functions the module comes to declare."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from compiler.dialects.libraries import LibraryCall, call_of
from compiler.dialects.linalg.buffers import CastOp
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.emitter import OperationEmitter


class Calls:
    """What operations of `module` have become, each of the functions once."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._called = dict[str, LibraryCall]()

    def replace(self, op: Operation) -> None:
        """A call in the place of an operation, with memrefs cast to what the function takes.

        Raises CompileError for one that no function does, and if the name means something else in this module.
        """
        with rewriting(op):
            call = call_of(op)
        self._check_free(op, call)
        self._called[call.name] = call
        emit, operands = OperationEmitter.before(op), list[SSAValue]()
        for value, wanted in zip(op.operands, call.inputs, strict=True):
            if value.type != wanted:
                value = emit(CastOp.create(operands=[value], result_types=[wanted]))
            operands.append(value)
        made = func.CallOp(call.name, operands, list(call.outputs))
        emit.insert(made)
        for old, new in zip(op.results, made.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        op.detach()
        op.erase()

    def declare(self) -> None:
        """Declare the functions at the end of the module, but for those that it has."""
        for name, call in self._called.items():
            if SymbolTable.lookup_symbol(self._module, name) is None:
                self._module.body.block.add_op(func.FuncOp.external(name, list(call.inputs), list(call.outputs)))

    def _check_free(self, op: Operation, call: LibraryCall) -> None:
        known = SymbolTable.lookup_symbol(self._module, call.name)
        if known is None or (
            isinstance(known, func.FuncOp) and not known.body.blocks and known.function_type.inputs.data == call.inputs
        ):
            return
        raise refuse(op, f"would call @{call.name}, which is something else in this text: rename that")
