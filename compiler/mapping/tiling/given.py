"""Checks the cores that computes and programs are placed on: text edited by hand may name any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.chips import most_chips
from compiler.dialects import pim, spat
from compiler.mapping.tiling.core_load import CoreLoad, crossbars, kernels_of
from compiler.mapping.tiling.matrix import widest
from compiler.session.context import CompilerContext
from emu.arch import Arch
from emu.errors import CompileError, option
from emu.isa.dtypes import DType


def check_cores(context: CompilerContext, computes: Iterable[spat.ComputeOp]) -> None:
    """Raise CompileError unless each compute is on a core that may be used and has crossbars left for it."""
    computes = list(computes)
    kinds = weight_types(context, computes)
    arch, limit = context.arch, context.cores
    cells = arch.cells(widest(arch, kinds))
    loads: dict[int, CoreLoad] = defaultdict(lambda: CoreLoad(arch, cells))
    for op in computes:
        core, taken = op.number, crossbars(op)
        if op.core is None:
            raise CompileError(f"{context.line_of(op)}node {op.node.data} has no core: run the pass place before")
        if core < 0:
            _refuse(context, op, "cores are numbered from 0")
        if core >= arch.all_cores:
            _refuse(context, op, f"architecture {arch.name} has cores 0 to {arch.all_cores - 1}{_advice(arch, core)}")
        if core >= limit:
            _refuse(
                context,
                op,
                f"{option('cores', limit)} allows cores 0 to {limit - 1}: use {option('cores', core + 1)} or more",
            )
        load = loads[core]
        load.add(op, context.weights)
        written = any(kernel.banked for kernel in kernels_of([op]))
        if (taken or written) and load.physical > arch.core.crossbars:
            what = f"{taken * cells} crossbars of {widest(arch, kinds).numpy.name} weights make"
            _refuse(
                context,
                op,
                f"its {what if taken else 'product of two results makes'} that {load.physical},"
                f" and a core of architecture {arch.name} holds {arch.core.crossbars}: place one of its computes on"
                " another core",
            )


def core_numbers(module: ModuleOp, context: CompilerContext) -> set[int]:
    """The cores that get a program; raises CompileError for one that the chip does not have, or that occurs twice."""
    numbers: set[int] = set()
    for op in module.ops:
        if isinstance(op, pim.CoreOp):
            core, cores = op.coreId.value.data, context.arch.all_cores
            if not 0 <= core < cores:
                raise CompileError(
                    f"{context.line_of(op)}coreId {core} is no core of architecture {context.arch.name}, which has"
                    f" cores 0 to {cores - 1}{_advice(context.arch, core)}"
                )
            if core in numbers:
                raise CompileError(f"{context.line_of(op)}core {core} has a program already: give each core one")
            numbers.add(core)
    return numbers


def _advice(arch: Arch, core: int) -> str:
    """Of how many chips a core that is too many would be one."""
    chips = core // arch.cores + 1
    return f": {option('chips', chips)} would have it" if 1 < chips <= most_chips(arch) else ""


def weight_types(context: CompilerContext, computes: Iterable[spat.ComputeOp]) -> set[DType]:
    """The element types of all constant weights on crossbars."""
    return {kernel.weight_type(context.weights) for kernel in kernels_of(computes) if kernel.crossbars}


def _refuse(context: CompilerContext, op: spat.ComputeOp, reason: str) -> NoReturn:
    raise CompileError(f"{context.line_of(op)}node {op.node.data} is placed on core {op.number}, but {reason}")
