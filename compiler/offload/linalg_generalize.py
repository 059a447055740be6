"""Pass `linalg-generalize`: named structured operations become generic ones."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.dialects.linalg.ops import FillOp, TransposeOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure
from compiler.offload.building import generic
from compiler.offload.emitter import OperationEmitter

_KEPT = (GenericOp, FillOp, TransposeOp)


@dataclass(frozen=True)
class LinalgGeneralizePass(ModulePass):
    """Writes named operations of linalg with one result as `linalg.generic`, with their maps and bodies.

    Fills and transposes stay as they are.
    """

    name = "linalg-generalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        for named in list(op.walk()):
            generalised(named)


def generalised(named: Operation) -> GenericOp | None:
    """The generic form of a named operation, which takes its place; None for what has none."""
    if not isinstance(named, LinalgStructuredOperation) or isinstance(named, _KEPT):
        return None
    structure = Structure.of(named)
    if len(named.results) != 1 or len(structure.block.args) != len(structure.maps):
        return None
    operands = (structure.inputs, structure.outputs[0])
    made = generic(OperationEmitter.before(named), operands, structure.maps, structure.parallel, named.body.clone())
    made.results[0].name_hint = named.results[0].name_hint
    named.results[0].replace_all_uses_with(made.results[0])
    named.detach()
    named.erase()
    return made
