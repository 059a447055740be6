"""Pass `remap-rows`: rows of a crossbar that are driven one after another are spread over crossbars that are free."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.dialects import spat
from compiler.dialects.names import RESIDENT
from compiler.kernels.kernel import Kernel
from compiler.mapping.solver import Ladder, least_sum, needed
from compiler.mapping.tiling.core_load import CoreLoad
from compiler.mapping.tiling.given import check_cores, weight_types
from compiler.mapping.tiling.matrix import widest
from compiler.session.context import CompilerContext

Unit = list[Kernel]  # kernels of one compute that share their crossbars


@dataclass(frozen=True)
class RemapRowsPass(ModulePass):
    """Makes row tiles lower where fewer word lines than a crossbar has are driven at a time, with free crossbars.

    The crossbars of a product work side by side, so it takes the steps of its tallest row tile. On every core the free
    crossbars go where they save most time (VVM-grained remapping of CIM-MLC, ASPLOS 2024).
    """

    name = "remap-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Cut row tiles in place; raises ArchError for a chip whose rows work together, CompileError without cores."""
        context = cast(CompilerContext, ctx)
        context.arch.require("rows", f"the pass {self.name}")
        computes = [item for item in op.ops if isinstance(item, spat.ComputeOp)]
        check_cores(context, computes)
        for unit, rows in lower_tiles(context, computes):
            for kernel in unit:
                kernel.properties.update(kernel.spread(rows))


def lower_tiles(context: CompilerContext, computes: Sequence[spat.ComputeOp]) -> Iterator[tuple[Unit, int]]:
    """The kernels of computes with cores whose row tiles free crossbars make lower, and the rows that these have then.

    They are found core by core; nothing is changed.
    """
    on_core: dict[int, list[spat.ComputeOp]] = defaultdict(list)
    for compute in computes:
        on_core[compute.number].append(compute)
    arch, driven = context.arch, context.arch.crossbar.driven_rows
    cells = arch.cells(widest(arch, weight_types(context, computes)))
    for here in on_core.values():
        load = CoreLoad(arch, cells)
        for compute in here:
            load.add(compute, context.weights)
        yield from _lower_on_core(here, (arch.core.crossbars - load.physical) // cells, driven)


def _lower_on_core(computes: Sequence[spat.ComputeOp], free: int, driven: int) -> Iterator[tuple[Unit, int]]:
    """The same of what is on one core all the time, with `free` crossbars left."""
    units = [unit for compute in computes if compute.stay == RESIDENT for unit in _units(compute)]
    heights = [_heights(unit[0], driven) for unit in units]
    ladders = [_ladder(unit, steps, driven) for unit, steps in zip(units, heights, strict=True)]
    places = least_sum(ladders, free + needed(ladders, [0] * len(ladders)))
    for unit, steps, place in zip(units, heights, places, strict=True):
        if place:
            yield unit, steps[place] * driven


def _units(compute: spat.ComputeOp) -> list[Unit]:
    """The kernels with weights on crossbars, those that share them together."""
    found: dict[object, Unit] = defaultdict(list)
    for kernel in compute.body.block.ops:
        if isinstance(kernel, Kernel) and kernel.crossbars:
            found[kernel if kernel.unit is None else kernel.unit].append(kernel)
    return list(found.values())


def _heights(kernel: Kernel, driven: int) -> list[int]:
    """The steps that its tallest row tile may take, descending from those that it takes now."""
    return list(range(-(-kernel.tallest // driven), 0, -1))


def _ladder(unit: Unit, steps: Sequence[int], driven: int) -> Ladder:
    """Crossbars, and steps times pixels."""
    kernel, taken = unit[0], [unit[0].crossbars]
    for height in steps[1:]:
        copy = kernel.clone()
        copy.properties.update(kernel.spread(height * driven))
        taken.append(copy.crossbars)
    pixels = sum(prod(kernel.output_shapes[0][:-1]) for kernel in unit)
    return Ladder(taken, [pixels * height for height in steps])
