"""Contractions among structured operations: a body that adds a product of two elements, and what each loop is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import StringAttr, TensorType, UnitAttr
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from compiler.dialects.linalg import casts
from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.linalg.structure import Structure

ROLES = "offload.roles"  # of the loops of a contraction, a letter each
TILE = "offload.tile"  # on a contraction that is one tile of another
# What a loop is for, by whether it is a dimension of the first factor, the second, and the result.
_LETTERS = {(True, False, True): "m", (False, True, True): "n", (True, True, False): "k", (True, True, True): "b"}
_SUMS: dict[type[Operation], type[Operation]] = {arith.AddfOp: arith.MulfOp, arith.AddiOp: arith.MuliOp}
_CASTS = (arith.ExtFOp, casts.ExtSIOp, casts.ExtUIOp, casts.SIToFPOp, casts.UIToFPOp)


@dataclass(frozen=True, slots=True)
class ContractionBody:
    """How each factor is widened before it is multiplied, first cast first."""

    casts: tuple[tuple[Operation, ...], tuple[Operation, ...]]


def body_of(op: LinalgStructuredOperation) -> ContractionBody | None:
    """The body of an operation that adds a product of its two operands to its result; None if it is another one."""
    if len(op.inputs) != 2 or len(op.outputs) != 1 or len(op.results) != 1:
        return None
    first, second, accumulator = op.body.block.args
    last = op.body.block.last_op
    added = last.operands[0].owner if last is not None and len(last.operands) == 1 else None
    if not isinstance(added, Operation) or type(added) not in _SUMS or accumulator not in added.operands:
        return None
    others = [value for value in added.operands if value is not accumulator]
    product = others[0].owner if len(others) == 1 else None
    if not isinstance(product, Operation) or type(product) is not _SUMS[type(added)]:
        return None
    chains = {argument: casts for argument, casts in map(_chain, product.operands) if argument is not None}
    if set(chains) != {first, second}:
        return None
    return ContractionBody((chains[first], chains[second]))


def _chain(value: SSAValue) -> tuple[BlockArgument | None, tuple[Operation, ...]]:
    """The argument of the body that a factor is, and the casts in between."""
    casts = list[Operation]()
    while isinstance(value, OpResult) and isinstance(value.owner, _CASTS):
        casts.insert(0, value.owner)
        value = value.owner.operands[0]
    return (value if isinstance(value, BlockArgument) else None), tuple(casts)


def roles_of(op: GenericOp) -> str | None:
    """A letter for each loop of a contraction of known sizes, None for anything else: see `letters_of`."""
    return letters_of(op) if loop_sizes(op) is not None else None


def letters_of(op: LinalgStructuredOperation) -> str | None:
    """A letter for each loop of a contraction, None for anything else: m and n of the first and the second factor and
    of the result, k of both factors, which is summed, b of all three."""
    structure = Structure.of(op)
    if body_of(op) is None or not is_projected(structure.maps[-1]):
        return None
    used = [each.used_dims() for each in structure.maps]
    letters = [
        _LETTERS.get((loop in used[0], loop in used[1], loop in used[2]), "") for loop in range(len(structure.parallel))
    ]
    fits = all(letter and (letter != "k") == flag for letter, flag in zip(letters, structure.parallel, strict=True))
    return "".join(letters) if fits else None


def is_projected(given: AffineMap) -> bool:
    """Whether each result is a loop of its own."""
    loops = [result.position for result in given.results if isinstance(result, AffineDimExpr)]
    return len(loops) == len(given.results) == len(set(loops))


def loops_of(given: AffineMap) -> list[int]:
    """The loops that the results of a projected map are."""
    return [result.position for result in given.results if isinstance(result, AffineDimExpr)]


def loop_sizes(op: GenericOp) -> tuple[int, ...] | None:
    """The sizes of all loops; None if one of them is not known, or there is nothing to do."""
    structure = Structure.of(op)
    values = (*structure.inputs, *structure.outputs)
    shapes = [shape_of(value) for value in values if isinstance(value.type, TensorType)]
    if len(shapes) != len(values) or any(size < 1 for shape in shapes for size in shape):
        return None
    try:
        return structure.sizes(shapes)
    except ValueError:
        return None


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The sizes of a tensor, negative where they are not known."""
    assert isinstance(value.type, TensorType)
    return tuple(value.type.get_shape())


def mark(op: Operation, roles: str, tile: bool = False) -> None:
    """Say of an operation that it is a contraction."""
    op.attributes[ROLES] = StringAttr(roles)
    if tile:
        op.attributes[TILE] = UnitAttr()


def marked(op: Operation) -> str:
    """The roles that were noted; empty if none were."""
    roles = op.attributes.get(ROLES)
    return roles.data if isinstance(op, GenericOp) and isinstance(roles, StringAttr) else ""


def contractions(ops: Sequence[Operation], tile: bool = False) -> list[GenericOp]:
    """Those of the operations that are noted as contractions, and are tiles of one, or not."""
    return [op for op in ops if isinstance(op, GenericOp) and marked(op) and (TILE in op.attributes) == tile]


def is_plain(op: GenericOp) -> bool:
    """Whether it is [m, k] times [k, n], with loops in the order m, n, k."""
    maps = [loops_of(each) for each in Structure.of(op).maps]
    return marked(op) == "mnk" and maps == [[0, 2], [2, 1], [0, 1]]
