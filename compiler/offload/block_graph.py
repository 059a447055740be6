"""What the products of a block need of each other, also by way of what the host computes there."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Block, Operation

from compiler.dialects.cim import Cim
from compiler.dialects.cinm import PRODUCTS, GemmOp, GemvOp

_ORDERED = (*Cim.operations, func.CallOp, AssertOp)  # what does more than make its results


class BlockGraph:
    """The products of a block that what leaves it needs, by number; `dead` is all that nobody needs, last first.

    What does more than make its results keeps its order, and counts as what leaves the block. `needs` are those of the
    graph of a schedule: of each product, and behind them of what the host computes of several.
    """

    def __init__(self, block: Block) -> None:
        self._ops = list(block.ops)
        self._needed = _needed(block, self._ops)
        self._places = {op: place for place, op in enumerate(self._ops)}
        self._placed = set[Operation]()
        alive = self._alive()
        self.dead = [op for op in reversed(self._ops) if op not in alive]
        self._ops = [op for op in self._ops if op in alive]
        self.products: list[GemmOp | GemvOp] = [op for op in self._ops if isinstance(op, PRODUCTS)]
        self.needs = self._needs()

    def pending(self, op: Operation) -> list[Operation]:
        """What an operation needs that was not asked for yet, in order, without products."""
        found, todo = list[Operation](), [op]
        while todo:
            for owner in self._needed[todo.pop()]:
                if owner not in self._placed and not isinstance(owner, PRODUCTS):
                    self._placed.add(owner)
                    found.append(owner)
                    todo.append(owner)
        return sorted(found, key=self._places.__getitem__)

    def rest(self) -> list[Operation]:
        """What nobody has asked for, but products and the last one."""
        return [op for op in self._ops[:-1] if op not in self._placed and not isinstance(op, PRODUCTS)]

    def _alive(self) -> set[Operation]:
        """What leaves the block, and all that this needs."""
        found = {op for op in self._ops if op is self._ops[-1] or _is_ordered(op)}
        for op in reversed(self._ops):
            if op in found:
                found.update(self._needed[op])
        return found

    def _needs(self) -> tuple[tuple[int, ...], ...]:
        numbers: dict[Operation, int | None] = {op: number for number, op in enumerate(self.products)}
        needs, sums = [tuple[int, ...]() for _ in self.products], list[tuple[int, ...]]()
        for op in self._ops:
            before = tuple(dict.fromkeys(n for each in self._needed[op] if (n := numbers[each]) is not None))
            if isinstance(op, PRODUCTS):
                needs[numbers[op] or 0] = before
            elif len(before) < 2:
                numbers[op] = before[0] if before else None
            else:
                numbers[op] = len(self.products) + len(sums)
                sums.append(before)
        return (*needs, *sums)


def _needed(block: Block, ops: list[Operation]) -> dict[Operation, list[Operation]]:
    """The operations of the block whose results each one reads, also inside of it, or behind which it has to stand."""
    found, before = dict[Operation, list[Operation]](), None
    for op in ops:
        owners = (operand.owner for inner in op.walk() for operand in inner.operands)
        own = dict.fromkeys(owner for owner in owners if isinstance(owner, Operation))
        found[op] = [owner for owner in own if owner.parent is block]
        if _is_ordered(op):
            found[op] += [before] if before is not None else []
            before = op
    return found


def _is_ordered(op: Operation) -> bool:
    """Whether it does more than make its results, or reads what others may change."""
    return any(
        isinstance(inner, _ORDERED)
        or any(isinstance(value.type, MemRefType) for value in (*inner.operands, *inner.results))
        for inner in op.walk()
    )
