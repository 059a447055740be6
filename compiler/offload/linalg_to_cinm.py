"""Pass `linalg-to-cinm`: contractions become products that a device may do."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.passes import ModulePass

from compiler.dialects.cinm import GemmOp
from compiler.dialects.origins import refuse
from compiler.offload.contraction import contractions
from compiler.offload.elements import elements_of, is_product
from compiler.offload.emitter import Emitter


@dataclass(frozen=True)
class LinalgToCinmPass(ModulePass):
    """Writes each noted product of matrices as `cinm.gemm`, whose result is added to what stood there before."""

    name = "linalg-to-cinm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a contraction that is no product of matrices."""
        for found in contractions(list(op.walk())):
            elements = elements_of(found)
            if elements is None or not is_product(found):
                raise refuse(found, "is no product [m, k] x [k, n] yet: run the pass ttgt before linalg-to-cinm")
            emit = Emitter.before(found)
            product = emit(GemmOp.create(operands=list(found.inputs), result_types=[found.results[0].type]))
            adding = arith.AddfOp if elements.result == f32 else arith.AddiOp
            found.results[0].replace_all_uses_with(emit(adding(found.outputs[0], product)))
            found.detach()
            found.erase()
