"""Numbers for the crossbars that a host program acquires: small ones, and none twice at a time."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from compiler.dialects import cim
from compiler.dialects.origins import refuse
from compiler.offload.aliases import Aliases

_LOOPS = (scf.ForOp, scf.WhileOp)


def numbers_of(module: ModuleOp) -> dict[cim.AcquireOp, int]:
    """A number for each acquisition, from 0 on; raises CompileError for a crossbar that outlives a turn of a loop.

    In a block a number is free again behind the release that stands in the same block, or else at its end. A function
    has numbers of its own, so that what it calls disturbs nothing.
    """
    aliases, found, first = Aliases(module, _is_crossbar), dict[cim.AcquireOp, int](), 0
    members = dict[SSAValue, list[SSAValue]]()
    for value in _values(module):
        members.setdefault(aliases.of(value), []).append(value)
    for function in module.walk():
        if not isinstance(function, func.FuncOp) or not function.body.blocks:
            continue
        acquired = [op for op in function.walk() if isinstance(op, cim.AcquireOp)]
        for op in acquired:
            _check_stays(op, members[aliases.of(op.crossbar)], function)
        if acquired and function in _reached(function):
            raise refuse(acquired[0], f"stands in @{function.sym_name.data}, which calls itself: acquire it outside")
        _number(function.body.block, set(range(first)), found)
        first = max([first, *(number + 1 for number in found.values())])
    return found


def _number(block: Block, taken: set[int], found: dict[cim.AcquireOp, int]) -> None:
    """Number what a block acquires; `taken` are those that are in use around it."""
    taken = set(taken)
    for op in block.ops:
        if isinstance(op, cim.AcquireOp):
            found[op] = next(number for number in range(len(taken) + 1) if number not in taken)
            taken.add(found[op])
        elif isinstance(op, cim.ReleaseOp) and op.crossbar.owner in found and _block_of(op.crossbar) is block:
            owner = op.crossbar.owner
            assert isinstance(owner, cim.AcquireOp)
            taken.discard(found[owner])
        for region in op.regions:
            for inner in region.blocks:
                _number(inner, taken, found)


def _check_stays(op: cim.AcquireOp, names: list[SSAValue], function: func.FuncOp) -> None:
    """Raise CompileError if what a turn of a loop acquires may be in use in the next one."""
    block = op.parent_block()
    loop = _around(op, _LOOPS)
    if loop is not None:
        outside = [name for name in names if _is_inside(_block_of(name), function) and not _is_turn(name, loop)]
        if outside:
            raise refuse(
                op, "acquires a crossbar that is in use behind its turn of the loop: acquire it before the loop"
            )
    last = block.last_op if block is not None else None
    returned = function.body.block.last_op
    for end in (last, returned):
        if end is not None and any(name in end.operands for name in names):
            raise refuse(op, "acquires a crossbar that leaves its block: acquire it where it is used to the end")


def _is_turn(value: SSAValue, loop: Operation) -> bool:
    """Whether a value is made anew in each turn."""
    block = _block_of(value)
    return _is_inside(block, loop) and not (block.parent_op() is loop and value in block.args)


def _is_inside(block: Block | None, op: Operation) -> bool:
    """Whether a block stands in an operation."""
    around = block.parent_op() if block is not None else None
    while around is not None and around is not op:
        around = around.parent_op()
    return around is op


def _block_of(value: SSAValue) -> Block:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent_block()
    assert block is not None
    return block


def _around(op: Operation, kinds: tuple[type[Operation], ...]) -> Operation | None:
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, kinds):
        outer = outer.parent_op()
    return outer


def _reached(function: func.FuncOp) -> set[func.FuncOp]:
    """The functions that a function calls, also by way of others."""
    found, todo = set[func.FuncOp](), [function]
    while todo:
        for op in todo.pop().walk():
            called = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, func.CallOp) else None
            if isinstance(called, func.FuncOp) and called not in found:
                found.add(called)
                todo.append(called)
    return found


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    for op in module.walk():
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            if _is_crossbar(value):
                yield value


def _is_crossbar(value: SSAValue) -> bool:
    return isinstance(value.type, cim.CrossbarType)
