"""Pass `cinm-to-cim`: products of a block are scheduled on crossbars, dispatched and awaited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from compiler.dialects import cim, cinm
from compiler.dialects.origins import refuse, rewriting
from compiler.offload.block_graph import BlockGraph
from compiler.offload.building import element, reshaped, turned
from compiler.offload.context import OffloadContext, chip_of
from compiler.offload.contraction import shape_of
from compiler.offload.emitter import OperationEmitter
from compiler.offload.granted import Granted, granted, spec_of_product
from compiler.offload.schedule import Graph, Resources, ScheduleFault, check_schedule
from compiler.offload.strategies import strategy_of
from emu.errors import CompileError, EmuError

Product = cinm.GemmOp | cinm.GemvOp


@dataclass(frozen=True)
class CinmToCimPass(ModulePass):
    """Dispatches and awaits the products of each block as `schedule` says, with at most `crossbars` held at a time.

    Scheduled is what leaves the block, or what that needs. Products are written and called when they are dispatched,
    and give their crossbars back when they are awaited; what the host computes for one comes right before it.
    `schedule` is `asap`, `alap`, one of an installed package, or the import path of a class. Without `crossbars` it is
    all there are.
    """

    name = "cinm-to-cim"
    schedule: str = "asap"
    crossbars: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError for a schedule that there is not, or that is wrong."""
        chip, strategy = chip_of(ctx), strategy_of(self.schedule)
        found = granted(op, chip, self.crossbars, self.name)
        blocks = {product.parent_block(): None for product in op.walk() if isinstance(product, cinm.PRODUCTS)}
        for block in sorted(filter(None, blocks), key=lambda block: len(_around(block))):
            if op not in _around(block):  # it was in something that nobody needs
                continue
            graph = BlockGraph(block)
            specs = [_spec(product, chip, found) for product in graph.products]
            given = Graph(tuple(spec.crossbars for spec in specs), graph.needs)
            resources = Resources(chip.cores, found.places, found.crossbars, found.bank, tuple(specs))
            _lower(block, graph, self._events(strategy, graph.products, given, resources) if specs else [])
        for compute in [each for each in op.walk() if isinstance(each, cinm.ComputeOp)]:
            with rewriting(compute):
                _dissolve(compute)

    def _events(
        self, strategy: Any, products: Sequence[Product], graph: Graph, resources: Resources
    ) -> list[tuple[int, bool]]:
        """What a strategy answers, as events; raises CompileError that names it."""
        try:
            made = strategy.schedule(graph, resources)
        except EmuError:
            raise
        except Exception as error:  # of a class that is not ours
            said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            raise CompileError(f"the schedule {self.schedule!r} fails: {said}") from None
        try:
            return check_schedule(made, graph, resources)
        except ScheduleFault as error:
            raise refuse(products[error.product], f"is scheduled wrongly: {self.schedule!r} {error}") from None


def _around(block: Block) -> list[Operation]:
    """The operations around a block, inner ones first."""
    found, around = list[Operation](), block.parent_op()
    while around is not None:
        found.append(around)
        around = around.parent_op()
    return found


def _spec(product: Product, chip: OffloadContext, found: Granted) -> Any:
    """What a product takes; raises CompileError if that is more than one may."""
    spec = spec_of_product(product, chip)
    if not found.places:
        cells, most = chip.arch.cells(spec.weight), chip.arch.core.crossbars
        raise refuse(product, f"needs {cells} crossbars of a core, which has {most}: use another chip")
    if spec.crossbars > found.most:
        raise refuse(
            product,
            f"takes {spec.crossbars} crossbars of a core, and may take {found.most}: run the pass cinm-tile before,"
            " with as many crossbars",
        )
    return spec


def _lower(block: Block, graph: BlockGraph, events: Sequence[tuple[int, bool]]) -> None:
    """Put the block into the order of the events, each with what it needs in front; all else keeps its order behind."""
    last = block.last_op
    assert last is not None
    emit = OperationEmitter.before(last)
    under_way = dict[int, tuple[SSAValue, SSAValue]]()

    def move(ops: Sequence[Operation]) -> None:
        for op in ops:
            op.detach()
            emit.insert(op)

    for awaited, group in groupby(events, key=lambda event: event[1]):
        products = [(number, graph.products[number]) for number, _ in group]
        if not awaited:  # what the host does comes before all calls, not between them
            move([op for _, product in products for op in graph.pending(product)])
        for number, product in products:
            if awaited:
                _await(emit.of(product), product, *under_way[number])
            else:
                under_way[number] = _dispatch(emit.of(product), product)
    move(graph.rest())
    for op in [*graph.dead, *reversed(graph.products)]:
        op.detach()
        op.erase()


def _dispatch(emit: OperationEmitter, product: Product) -> tuple[SSAValue, SSAValue]:
    """The crossbar and the future of a product that is called."""
    lhs, rhs = product.lhs, product.rhs
    if isinstance(product, cinm.GemvOp):
        lhs, rhs = reshaped(emit, rhs, [1, *shape_of(rhs)]), turned(emit, lhs, [1, 0])
    made = TensorType(element(product.result), [shape_of(lhs)[0], shape_of(rhs)[1]])
    held: Any = rhs.type
    crossbar = emit(cim.AcquireOp.create(result_types=[cim.CrossbarType(held, element(product.result))]))
    emit.insert(cim.WriteOp.create(operands=[crossbar, rhs]))
    return crossbar, emit(cim.GemmOp.create(operands=[crossbar, lhs], result_types=[cim.FutureType(made)]))


def _await(emit: OperationEmitter, product: Product, crossbar: SSAValue, future: SSAValue) -> None:
    kind = future.type
    assert isinstance(kind, cim.FutureType)
    value = emit(cim.BarrierOp.create(operands=[future], result_types=[kind.value]))
    emit.insert(cim.ReleaseOp.create(operands=[crossbar]))
    product.result.replace_all_uses_with(reshaped(emit, value, shape_of(product.result)))


def _dissolve(compute: cinm.ComputeOp) -> None:
    """What stands in a block of products stands around it."""
    block = compute.body.block
    emit = OperationEmitter(InsertPoint.before(compute))
    *ops, last = block.ops
    for op in ops:
        op.detach()
        emit.insert(op)
    for result, value in zip(compute.results, last.operands, strict=True):
        result.replace_all_uses_with(value)
    last.detach()
    last.erase()
    compute.detach()
    compute.erase()
