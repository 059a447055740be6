"""Pass `im2col`: convolutions become contractions of a copy of their windows."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.linalg.ops import YieldOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.passes import ModulePass

from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure
from compiler.dialects.origins import rewriting
from compiler.offload.building import element, empty, generic
from compiler.offload.contraction import is_projected, loop_sizes, mark
from compiler.offload.detect_contractions import offloadable
from compiler.offload.emitter import OperationEmitter


@dataclass(frozen=True)
class Im2colPass(ModulePass):
    """Copies a factor that is read by `stride * out + dilation * tap` into a tensor with a dimension for each loop.

    What is left is a contraction, and noted as one: of convolutions over any number of dimensions, in any layout.
    """

    name = "im2col"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place."""
        for found in list(op.walk()):
            if isinstance(found, GenericOp) and (roles := offloadable(found)):
                maps = Structure.of(found).maps
                if not all(map(is_projected, maps)):
                    with rewriting(found):
                        _rewrite(found, roles)


def _rewrite(op: GenericOp, roles: str) -> None:
    structure, sizes = Structure.of(op), loop_sizes(op)
    assert sizes is not None
    emit, inputs, maps = OperationEmitter.before(op), list[SSAValue](), list[AffineMap]()
    for value, given in zip(structure.inputs, structure.maps, strict=False):
        if not is_projected(given):
            loops = sorted(given.used_dims())
            value = _windows(emit, value, given, loops, [sizes[loop] for loop in loops])
            given = AffineMap(len(sizes), 0, tuple(map(AffineDimExpr, loops)))
        inputs.append(value)
        maps.append(given)
    operands = (inputs, structure.outputs[0])
    made = generic(emit, operands, [*maps, structure.maps[-1]], structure.parallel, op.body.clone())
    mark(made, roles)
    op.results[0].replace_all_uses_with(made.results[0])
    op.detach()
    op.erase()


def _windows(emit: OperationEmitter, value: SSAValue, given: AffineMap, loops: list[int], sizes: list[int]) -> SSAValue:
    """The elements that the loops meet, each loop a dimension."""
    kind = element(value)
    own = [AffineDimExpr(loops.index(loop) if loop in loops else 0) for loop in range(given.num_dims)]
    source = given.replace_dims_and_symbols(own, [], len(loops), 0)
    block = Block(arg_types=[kind, kind])
    block.add_op(YieldOp(block.args[0]))
    maps = [source, AffineMap.identity(len(loops))]
    made = generic(emit, ([value], empty(emit, sizes, kind)), maps, [True] * len(loops), Region(block))
    return made.results[0]
