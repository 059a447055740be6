"""What `transform.structured.tile_using_for` does: loops around operations, in any order."""

from __future__ import annotations

from xdsl.dialects import transform
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation

from compiler.dialects.origins import origin_of, refuse
from compiler.offload.script_state import ScriptState, name_of_value
from compiler.offload.structured_tiles import tiled


def tile(op: transform.TileOp, state: ScriptState) -> None:
    """Tile what a handle stands for; raises CompileError."""
    targets = state.operations(op.target, op)
    sizes = _sizes(op, state, len(targets))
    if op.scalable_sizes is not None and any(op.scalable_sizes.get_values()):
        raise refuse(op, "has tile sizes in brackets, for vectors of unknown length: give numbers")
    count = len(sizes)
    order = [int(place) for place in op.interchange.get_values()] if op.interchange is not None else []
    order = order or list(range(count))
    if sorted(order) != list(range(count)):
        raise refuse(
            op, f"has interchange = {order}: give each of the numbers 0 to {count - 1} once, one for each size"
        )
    loops = [list[Operation]() for _ in op.loops]
    made = list[Operation]()
    state.consume(targets, op)
    for place, one in enumerate(targets):
        if not isinstance(one, LinalgStructuredOperation):
            raise refuse(op, f"cannot tile {origin_of(one)}: give operations of linalg")
        own = {loop: given[place] for loop, given in enumerate(sizes)}
        if count > one.get_num_loops():
            raise refuse(op, f"gives {count} tile sizes to {origin_of(one)}, which has {one.get_num_loops()} loops")
        if min(own.values(), default=0) < 0:
            raise refuse(op, "has a tile size below 0: give numbers from 1 on, or 0 for a loop that is not cut")
        moved = [loop for loop in order if own[loop]]
        if len(moved) != len(loops):
            raise refuse(op, f"makes {len(moved)} loops, and names {len(loops)}")
        if not moved:
            made.append(one)
            continue
        try:
            done = tiled(one, own, moved)
        except ValueError as error:
            raise refuse(op, f"cannot tile {origin_of(one)}, which {error}") from None
        made.append(done.op)
        for handle, loop in zip(loops, done.loops, strict=True):
            handle.append(loop)
    state.give(op.tiled_linalg_op, made)
    for value, found in zip(op.loops, loops, strict=True):
        state.give(value, found)


def _sizes(op: transform.TileOp, state: ScriptState, targets: int) -> list[list[int]]:
    """For each size, that of each target."""
    dynamic = iter(op.dynamic_sizes)
    static = op.static_sizes.get_values() if op.static_sizes is not None else ()
    found = list[list[int]]()
    for size in static:
        if size != DYNAMIC_INDEX:
            found.append([int(size)] * targets)
            continue
        value = next(dynamic)
        numbers = state.numbers(value, op)
        if len(numbers) not in (1, targets):
            raise refuse(op, f"takes {len(numbers)} sizes of {name_of_value(value)} for {targets} operations")
        found.append(numbers * targets if len(numbers) == 1 else numbers)
    return found
