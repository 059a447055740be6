"""Pass `arrange`: the cores get other numbers, so other places on the mesh; their programs stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import rows_of, trips_around
from compiler.mapping.placement.mesh import arrange, distances_of, places_for, points_of, weights_of
from compiler.session.context import CompilerContext
from emu.errors import CompileError, option
from emu.wording import counted


@dataclass(frozen=True)
class ArrangePass(ModulePass):
    """Numbers the cores anew, so that those that send much to each other stand close; or as `cores` says.

    `cores` has the new number of each core that has a program, in the order of their numbers.
    """

    name = "arrange"
    cores: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Renumber in place; raises CompileError for numbers that do not fit."""
        context = cast(CompilerContext, ctx)
        programs = [item for item in op.ops if isinstance(item, pim.CoreOp)]
        used = sorted(core.coreId.value.data for core in programs)
        new = self._given(used, context.cores) if self.cores else _closest(programs, used, context)
        for core in programs:
            core.properties["coreId"] = attr.integer(new[core.coreId.value.data])
            for item in core.walk():
                if isinstance(item, pim.MessageOp) and item.peer.value.data in new:
                    item.properties["peer"] = attr.integer(new[item.peer.value.data])

    def _given(self, used: Sequence[int], limit: int) -> dict[int, int]:
        if len(self.cores) != len(used):
            raise CompileError(
                f"arrange: cores has {counted(len(self.cores), 'number')}, but {counted(len(used), 'core')} have"
                " programs: give one for each"
            )
        if repeated := [core for core, times in Counter(self.cores).items() if times > 1]:
            raise CompileError(f"arrange: cores has {repeated[0]} twice, but a core has one program")
        if strange := [core for core in self.cores if not 0 <= core < limit]:
            raise CompileError(
                f"arrange: cores has {strange[0]}, but {option('cores', limit)} allows cores 0 to {limit - 1}"
            )
        return dict(zip(used, self.cores, strict=True))


def _closest(programs: Sequence[pim.CoreOp], used: Sequence[int], context: CompilerContext) -> dict[int, int]:
    width = context.arch.mesh_width
    places = places_for(width, used, context.cores)
    order = arrange(weights_of(traffic_of(programs), used), distances_of(points_of(width, places)))
    return {core: places[place] for core, place in zip(used, order.tolist(), strict=True)}


def traffic_of(programs: Sequence[pim.CoreOp]) -> Mapping[tuple[int, int], int]:
    """Bytes that each (sender, receiver) exchanges per sample."""
    found = Counter[tuple[int, int]]()
    for core in programs:
        for op in core.walk():
            if isinstance(op, pim.SendOp):
                found[core.coreId.value.data, op.peer.value.data] += _bytes(op) * max(1, trips_around(op))
    return found


def _bytes(op: pim.SendOp) -> int:
    """Bytes of one message; a buffer may hold fewer rows than the tile has."""
    sizes = [(attr.bytes_of(value), attr.shape_of(value)[0]) for value in op.buffers]
    rows = rows_of(op.rows)
    counts = [part.count for part in rows] if rows else [depth for _, depth in sizes]
    return sum(size // depth * count for (size, depth), count in zip(sizes, counts, strict=True))
