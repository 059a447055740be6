"""Pass `cinm-to-cim`: products of a block are scheduled on crossbars, dispatched and awaited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from compiler.dialects import cim
from compiler.dialects.cinm import GemmOp
from compiler.offload.context import chip_of
from compiler.offload.emitter import Emitter
from compiler.offload.schedule import SCHEDULES, Needs
from emu.errors import CompileError


@dataclass(frozen=True)
class CinmToCimPass(ModulePass):
    """Gives each `cinm.gemm` of a block a step, by `schedule`, with at most `crossbars` products in each.

    All products of a step are written and called, then awaited. What the host computes for a step comes before it.
    Without `crossbars` there are as many as cores; a matrix that is larger than a crossbar takes several of its core.
    """

    name = "cinm-to-cim"
    schedule: str = "asap"
    crossbars: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a schedule that there is not."""
        if self.schedule not in SCHEDULES:
            raise CompileError(f"cinm-to-cim: there is no schedule {self.schedule!r}: use {' or '.join(SCHEDULES)}")
        crossbars = chip_of(ctx).cores if self.crossbars is None else self.crossbars
        if crossbars < 1:
            raise CompileError(f"cinm-to-cim: nothing is done with {crossbars} crossbars: give a number from 1 on")
        blocks = {found.parent_block(): None for found in op.walk() if isinstance(found, GemmOp)}
        for block in blocks:
            if block is not None:
                products = [found for found in block.ops if isinstance(found, GemmOp)]
                steps = SCHEDULES[self.schedule](_needs(block, products), crossbars)
                _reorder(block, products, steps)


def _needs(block: Block, products: Sequence[GemmOp]) -> Needs:
    """The products that each one needs, also by way of the host."""
    numbers = {product: place for place, product in enumerate(products)}
    before, found = dict[Operation, frozenset[int]](), list[frozenset[int]]()
    for op in block.ops:
        inside = frozenset(place for needed in _needed(op, block) for place in before[needed])
        if isinstance(op, GemmOp):
            found.append(inside)
            inside |= {numbers[op]}
        before[op] = inside
    return found


def _needed(op: Operation, block: Block) -> list[Operation]:
    """The operations of the block whose results an operation reads, also inside of its regions."""
    owners = [operand.owner for inner in op.walk() for operand in inner.operands]
    return [owner for owner in owners if isinstance(owner, Operation) and owner.parent_block() is block]


def _reorder(block: Block, products: Sequence[GemmOp], steps: Sequence[int]) -> None:
    """Lower the products step by step, each with what it needs in front; all else keeps its order behind them."""
    order, last = list(block.ops), block.last_op
    assert last is not None and last.has_trait(IsTerminator)
    emit, placed = Emitter.before(last), set[Operation](products)

    def place(op: Operation) -> None:
        todo = [op]
        chain = set[Operation]()
        while todo:
            for owner in _needed(todo.pop(), block):
                if owner not in placed and owner not in chain:
                    chain.add(owner)
                    todo.append(owner)
        for owner in [owner for owner in order if owner in chain]:
            placed.add(owner)
            owner.detach()
            emit.insert(owner)

    for step in sorted(set(steps)):
        now = [product for product, at in zip(products, steps, strict=True) if at == step]
        for product in now:
            place(product)
        calls = [_dispatch(emit, product) for product in now]
        for product, (crossbar, future) in zip(now, calls, strict=True):
            value = emit(cim.BarrierOp.create(operands=[future], result_types=[product.result.type]))
            emit.insert(cim.ReleaseOp.create(operands=[crossbar]))
            product.result.replace_all_uses_with(value)
    for product in products:
        product.detach()
        product.erase()
    for op in order:
        if op not in placed and op is not last:
            op.detach()
            emit.insert(op)


def _dispatch(emit: Emitter, product: GemmOp) -> tuple[SSAValue, SSAValue]:
    """The crossbar and the future of a product that is called."""
    held: Any = product.rhs.type
    made: Any = product.result.type
    kind = cim.CrossbarType(held, made.get_element_type())
    crossbar = emit(cim.AcquireOp.create(result_types=[kind]))
    emit.insert(cim.WriteOp.create(operands=[crossbar, product.rhs]))
    future = cim.FutureType(made)
    return crossbar, emit(cim.GemmOp.create(operands=[crossbar, product.lhs], result_types=[future]))
