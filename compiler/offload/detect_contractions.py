"""Pass `detect-contractions`: finds what a device can multiply, by maps and bodies."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure
from compiler.offload.contraction import TILE, is_projected, mark, roles_of
from compiler.offload.elements import elements_of


@dataclass(frozen=True)
class DetectContractionsPass(ModulePass):
    """Notes on a `linalg.generic` that is a contraction what each of its loops is for, as `offload.roles = "mnk"`.

    Its maps are projected permutations, its body adds a product of two elements, widened or not, in any order. Loops of
    all three operands (a batch: see `unbatch`) and elements that crossbars do not hold are left to the host, without
    `dots` products of two vectors, too.
    """

    name = "detect-contractions"
    dots: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Note it in place."""
        for found in op.walk():
            if isinstance(found, GenericOp) and TILE not in found.attributes:
                roles = offloadable(found, self.dots)
                if roles and all(map(is_projected, Structure.of(found).maps)):
                    mark(found, roles)


def offloadable(op: GenericOp, dots: bool = False) -> str:
    """The roles of the loops of what a device may multiply, by any maps of its factors; empty if it may not."""
    roles = roles_of(op)
    if roles is None or "k" not in roles or "b" in roles or not (dots or set(roles) & set("mn")):
        return ""
    return roles if elements_of(op) is not None else ""
