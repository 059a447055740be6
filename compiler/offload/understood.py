"""What host programs may consist of; any other operation, type or function is refused before anything runs."""

from __future__ import annotations

from math import prod

from xdsl.dialects import func, linalg, ml_program, scf, tensor
from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Attribute, Operation

from compiler.basis.limits import MAX_ELEMENTS
from compiler.basis.suggest import suggestion
from compiler.dialects.cim import Cim
from compiler.dialects.cinm import Cinm
from compiler.dialects.libraries import LIBRARY, external
from compiler.dialects.linalg.buffers import GlobalOp
from compiler.dialects.linalg.loops import WhileOp
from compiler.dialects.memristor import Memristor
from compiler.dialects.neuro import Neuro
from compiler.frontend.text.parsing import TextModule
from compiler.interpreter.host.memrefs import has_layout
from compiler.interpreter.host.run import MEANINGS, OF_REGIONS
from compiler.interpreter.host.values import numpy_type
from compiler.offload.script import in_script
from emu.errors import CompileError

_CONTROL = (
    ModuleOp, func.FuncOp, func.CallOp, func.ReturnOp, scf.ForOp, scf.IfOp, WhileOp, scf.IndexSwitchOp, scf.YieldOp,
    scf.ConditionOp, AssertOp, ml_program.GlobalOp, GlobalOp, linalg.ops.YieldOp, tensor.YieldOp,
)  # fmt: skip
OF_DEVICES = (*Cim.operations, *Cinm.operations, *Memristor.operations, *Neuro.operations)
_KNOWN = (*_CONTROL, *MEANINGS, *OF_REGIONS, *OF_DEVICES)


def check_understood(text: TextModule) -> None:
    """Raise CompileError for the first operation, or type, that cannot be executed."""
    for op in text.module.walk():
        if in_script(op):
            continue
        if not isinstance(op, _KNOWN):
            raise text.refuse(op, "is not understood: give functions of linalg")
        if isinstance(op, func.FuncOp) and len(op.body.blocks) > 1:
            raise text.refuse(op, "has branches: give functions of one block")
        if (called := external(op)) is not None:
            _check_external(text, op, called)
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            if value.type.name.startswith("cim."):
                continue
            if (count := _elements(value.type)) > MAX_ELEMENTS:
                raise text.refuse(op, f"has a {value.type}, of {count} elements: {MAX_ELEMENTS} are the most")
            if isinstance(value.type, MemRefType) and not has_layout(value.type):
                raise text.refuse(op, f"has a {value.type}: give its layout by strides that go up")
            try:
                numpy_type(value.type)
            except CompileError as error:
                raise text.refuse(op, str(error)) from None


def _elements(kind: Attribute) -> int:
    """How many elements a tensor or memref has as far as its type says: open sizes count as one."""
    return prod(size for size in kind.get_shape() if size >= 0) if isinstance(kind, TensorType | MemRefType) else 1


def _check_external(text: TextModule, op: Operation, called: func.FuncOp) -> None:
    """Raise CompileError unless a function without a body is one of the library, with the arguments that it takes."""
    name = called.sym_name.data
    if name not in LIBRARY:
        raise text.refuse(
            op, f"calls @{name}, which has no body and is no function of a device{suggestion(name, LIBRARY)}"
        )
    call = LIBRARY[name]
    if not call.takes(called.function_type):
        raise text.refuse(called, f"declares @{name} otherwise than it is: {call.signature}, of any layout")
