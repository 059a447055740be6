"""Pass `fuse-nests`: a nest that alone reads another one, element by element, takes in its body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import onnx
from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.nest_forms import nest_form
from compiler.dialects.onnx_op import MovingOp, OnnxOp
from compiler.dialects.types import dtype_of
from compiler.emission.nest_steps import CHUNK, plan_body
from compiler.lowering.activations import ACTIVATIONS
from compiler.nests.body import INDEX
from compiler.nests.contraction import contraction_of
from compiler.nests.fusion import composed, injective, without_twins
from compiler.nests.nest import Nest
from compiler.session.context import CompilerContext
from compiler.transforms.rewriting import compiler_context

SPARE = 4  # tensors that a fused nest needs longer may be a quarter larger than the one that is not made
MOST_OPERANDS, MOST_STEPS = 12, 64  # of a fused nest: beyond, one instruction less is not worth its buffers
SCRATCH_SHARE = 16  # at most this part of a local memory holds values between the steps of one nest


@dataclass(frozen=True)
class FuseNestsPass(ModulePass):
    """Chains of elementwise operators become one nest, whose values between them are never whole tensors."""

    name = "fuse-nests"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse in place, every nest with those before it that only it reads; no bit of a result changes."""
        context = compiler_context(ctx)
        for block in [block for item in op.ops for region in item.regions for block in region.blocks]:
            _fuse_all(context, block)


@dataclass(frozen=True, slots=True)
class _Part:
    """A nest with the values that it reads."""

    nest: Nest
    values: tuple[SSAValue, ...]

    @staticmethod
    def of(nest: Nest, values: Sequence[SSAValue]) -> _Part:
        """Without operands that are there twice."""
        nest, left = without_twins(nest, values)
        return _Part(nest, tuple(values[place] for place in left))

    @property
    def running(self) -> list[int]:
        """The operands that are no constants."""
        return [place for place, value in enumerate(self.values) if not isinstance(value.owner, onnx.ConstantOp)]

    @property
    def is_product(self) -> bool:
        """Whether it is a matrix product, which is an instruction of its own."""
        return contraction_of(self.nest, tuple(map(dtype_of, self.values))) is not None


def _fuse_all(context: CompilerContext, block: Block) -> None:
    order = {op: number for number, op in enumerate(block.ops)}
    for op in list(block.ops):
        nest = nest_form(op)
        if nest is None or not prod(attr.shape_of(op.results[0])):
            continue
        group = [cast(OnnxOp, op)]  # the reader, then what is fused into it
        part = _Part.of(nest, op.operands)
        while (found := _wider(context, group, part, order)) is not None:
            part, maker = found
            group.append(maker)
        if len(group) > 1:
            order[_replace(context, group, part)] = order[op]


def _replace(context: CompilerContext, group: Sequence[OnnxOp], part: _Part) -> GenericOp:
    """Put the fused nest in the place of its reader, the first of `group`; nothing reads the others then."""
    reader, *makers = group
    made = GenericOp.make(
        part.values, reader.result.type, node=reader.node, tensor=reader.tensor, **nest_properties(part.nest)
    )
    cast(Block, reader.parent).insert_op_before(made, reader)
    reader.result.replace_all_uses_with(made.result)
    for maker in makers:
        context.provenance.fused(maker.tensor.data, made.tensor.data)
    for op in group:
        op.detach()
        op.erase()
    return made


def _wider(
    context: CompilerContext, group: Sequence[OnnxOp], part: _Part, order: Mapping[Operation, int]
) -> tuple[_Part, OnnxOp] | None:
    """`part`, the nest of `group`, with the body of one more operation, and that operation; None if there is none."""
    for place in () if part.is_product else part.running:
        value = part.values[place]
        maker = value.owner
        if (
            not isinstance(maker, OnnxOp)
            or (nest := nest_form(maker)) is None
            or _is_epilogue(maker)
            or part.values.count(value) > 1
            or any(use.operation not in group for use in value.uses)
        ):
            continue
        before = _Part.of(nest, maker.operands)
        joined = _joined(part, place, before)
        if joined is not None and _is_small(context, joined) and _keeps_memory(part, value, before, order):
            return joined, maker
    return None


def _is_epilogue(op: OnnxOp) -> bool:
    """Whether what makes the operand of an activation takes it in: that is no nest, and nothing else reads it."""
    if type(op) not in ACTIVATIONS:
        return False
    owner = op.operands[0].owner
    return op.operands[0].has_one_use() and isinstance(owner, OnnxOp) and not isinstance(owner, MovingOp)


def _joined(part: _Part, place: int, before: _Part) -> _Part | None:
    """`part` with the body of the nest `before` for operand `place`; None if that changes more than buffers."""
    nest = composed(part.nest, place, before.nest)
    if nest is None or before.is_product or not _leads(before, part.values[place]):
        return None
    values = (*part.values[:place], *before.values, *part.values[place + 1 :])
    joined = _Part.of(nest, values)
    rounds = nest.combine and dtype_of(part.values[place]).is_float
    if rounds and not (len(joined.values) == len(values) and _adds_alike(part.nest, before.nest)):
        return None
    return None if joined.is_product else joined


def _leads(before: _Part, value: SSAValue) -> bool:
    """Whether `value` stands in memory as the largest operand of its nest does, which then decides in its place."""
    sizes = {place: prod(attr.shape_of(before.values[place])) for place in before.running}
    leader = max(sizes, key=lambda place: (sizes[place], -place), default=-1)
    return (
        leader >= 0
        and sizes[leader] == prod(attr.shape_of(value))
        and injective(before.nest.sources[leader], before.nest.sizes)
    )


def _adds_alike(nest: Nest, before: Nest) -> bool:
    """Whether a reduction of floats still meets its elements in the same order, which their sum depends on.

    It does if its operand stands in memory as before, others are single numbers, and no vector is made in parts.
    """
    extent = prod(size for size, parallel in zip(nest.sizes, nest.parallel, strict=True) if not parallel)
    whole = [source for source in before.sources if any(index.factors for index in source)]
    indices = any(step.fn == INDEX for step in before.body.steps)
    return before.elementwise and whole == [before.target] and not indices and extent <= CHUNK


def _is_small(context: CompilerContext, part: _Part) -> bool:
    """Whether a nest has few operands and steps, and little scratch."""
    plan = plan_body(part.nest.body, len(part.values), keep_last=bool(part.nest.combine))
    scratch = sum(dtype.size for dtype in plan.slots) * min(CHUNK, part.nest.points)
    return (
        len(part.values) <= MOST_OPERANDS
        and len(part.nest.body.steps) <= MOST_STEPS
        and scratch * SCRATCH_SHARE <= context.arch.core.local_memory
    )


def _keeps_memory(part: _Part, value: SSAValue, before: _Part, order: Mapping[Operation, int]) -> bool:
    """Whether what has to be kept for the nest is about as large as `value`, or kept until `value` is made anyway."""
    new = [other for place in before.running if (other := before.values[place]) not in part.values]
    if SPARE * sum(map(attr.bytes_of, new)) <= (SPARE + 1) * attr.bytes_of(value):
        return True
    made = order[cast(Operation, value.owner)]
    others = [part.values[place].owner for place in part.running if part.values[place] is not value]
    return all(order[owner] < made for owner in others if isinstance(owner, Operation))
