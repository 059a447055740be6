"""Pass `arrange`: the cores get other numbers, so other places on mesh and chips; their programs stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from compiler.basis.options import TRAFFIC
from compiler.dialects import attributes as attr
from compiler.dialects import pim
from compiler.dialects.rows import rows_of, trips_around
from compiler.mapping.placement.chips import chips_of, distances_between, places_on
from compiler.mapping.placement.mesh import MOST_PLACES, arrange, places_for, weights_of
from compiler.session.context import CompilerContext
from emu.errors import CompileError, option
from emu.noc.domains.graph import Exchanged
from emu.noc.traffic.traffic import MEMORY
from emu.wording import counted, nearest


@dataclass(frozen=True)
class ArrangePass(ModulePass):
    """Numbers the cores anew, so that those that send much to each other stand close; or as `cores` says.

    `by` is a row of `WAYS`; `cores` has the new number of each core that has a program, in the order of their numbers.
    """

    name = "arrange"
    by: str = TRAFFIC
    cores: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Renumber in place; raises CompileError for numbers that do not fit."""
        context = cast(CompilerContext, ctx)
        programs = [item for item in op.ops if isinstance(item, pim.CoreOp)]
        used = sorted(core.coreId.value.data for core in programs)
        if self.by not in WAYS:
            raise CompileError(f"arrange: by={self.by} is no way to arrange cores{nearest(self.by, WAYS)}")
        new = self._given(used, context.cores) if self.cores else WAYS[self.by](programs, used, context)
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
    """So that bytes cross few links, whichever they are."""
    arch = context.arch
    places = places_for(arch.mesh_width, used, context.cores, arch.cores)
    order = arrange(weights_of(traffic_of(programs), used), distances_between(arch, places))
    return {core: places[place] for core, place in zip(used, order.tolist(), strict=True)}


def _cut(programs: Sequence[pim.CoreOp], used: Sequence[int], context: CompilerContext) -> dict[int, int]:
    """So that little crosses from chip to chip; then so that bytes cross few links, each core on its chip."""
    arch, sent = context.arch, exchanged_of(programs)
    places, chips = places_on(chips_of(sent, used, arch, context.cores), arch, context.cores)
    looked_at = max(len(used), MOST_PLACES)
    weights = weights_of(traffic_of(programs), used)
    order = arrange(weights, distances_between(arch, places[:looked_at]), domains=chips[:looked_at])
    return {core: places[place] for core, place in zip(used, order.tolist(), strict=True)}


Way = Callable[[Sequence[pim.CoreOp], Sequence[int], CompilerContext], dict[int, int]]
WAYS: Mapping[str, Way] = {"traffic": _closest, "cut": _cut}  # the new number of each core in use


def traffic_of(programs: Sequence[pim.CoreOp]) -> Mapping[tuple[int, int], int]:
    """Bytes that each (sender, receiver) exchanges per sample, cores with each other."""
    return {pair: nbytes for pair, (_, nbytes) in exchanged_of(programs).items() if MEMORY not in pair}


def exchanged_of(programs: Sequence[pim.CoreOp]) -> Exchanged:
    """Messages, and their bytes, that each (sender, receiver) exchanges per sample; `MEMORY` is the global memory.

    Weights that wait in global memory for their segment are not among them.
    """
    messages, nbytes = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for core in programs:
        number = core.coreId.value.data
        for op in core.walk():
            match op:
                case pim.SendOp():
                    pair, buffers = (number, op.peer.value.data), op.buffers
                case pim.LoadOp():
                    pair, buffers = (MEMORY, number), (op.buffer,)
                case pim.StoreOp():
                    pair, buffers = (number, MEMORY), (op.buffer,)
                case _:
                    continue
            times = max(1, trips_around(op))
            messages[pair] += times
            nbytes[pair] += times * _bytes(op, buffers)
    return {pair: (count, nbytes[pair]) for pair, count in messages.items()}


def _bytes(op: pim.TransferOp, buffers: Sequence[SSAValue]) -> int:
    """Bytes of one message; a buffer may hold fewer rows than the tile has."""
    sizes = [(attr.bytes_of(value), attr.shape_of(value)[0]) for value in buffers]
    rows = rows_of(op.rows)
    counts = [part.count for part in rows] if rows else [depth for _, depth in sizes]
    return sum(size // depth * count for (size, depth), count in zip(sizes, counts, strict=True))
