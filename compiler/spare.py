"""What would put to work what a compilation leaves idle of its chip: options of a schedule that are not in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects.builtin import ModuleOp

from compiler.dialects import spat
from compiler.mapping.schedules.copies import Weighing
from compiler.request import CompileRequest
from compiler.session.context import CompilerContext
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from compiler.transforms.remap_rows import lower_tiles
from emu.arch import Arch
from emu.errors import ArchError

Spare = Mapping[str, int]  # an option with its value -> cores that may have to be used for it to change anything


def spare_before(name: str, request: CompileRequest, context: CompilerContext, module: ModuleOp) -> Spare:
    """What can be told of a module before the pass `name` of the default ones runs.

    Only of a chip whose times are known: of another one nobody can see that it is faster.
    """
    look = _LOOKS.get(name)
    if look is None or request.arch.timing is None or request.pipeline is not None or request.start is not None:
        return {}
    return look(request, context, module)


def _copies(request: CompileRequest, context: CompilerContext, module: ModuleOp) -> Spare:
    """Goals of `duplicate`."""
    if request.options.duplicate is not None:
        return {}
    weighing = Weighing(
        context, list(module.ops), request.options.packing, request.options.placement, request.options.segments
    )
    return {f"duplicate {goal}": cores for goal, cores in weighing.copies_from().items()}


def _rows(request: CompileRequest, context: CompilerContext, module: ModuleOp) -> Spare:
    """`remap_rows`, where the mode of the chip allows it."""
    if request.options.remap_rows or not _drives_rows(request.arch):
        return {}
    computes = [op for op in module.ops if isinstance(op, spat.ComputeOp)]
    return {"remap_rows": 1} if any(True for _ in lower_tiles(context, computes)) else {}


def _drives_rows(arch: Arch) -> bool:
    """Whether fewer rows than there are work at a time, and a schedule may choose them."""
    try:
        arch.require("rows", "remap-rows")
    except ArchError:
        return False
    return arch.crossbar.driven_rows < arch.crossbar.rows


_LOOKS: Mapping[str, Callable[[CompileRequest, CompilerContext, ModuleOp], Spare]] = {
    CutLayersPass.name: _copies,
    LowerSpatToPimPass.name: _rows,
}
