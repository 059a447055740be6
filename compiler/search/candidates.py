"""Candidates: a network is read and lowered to layers once; what is chosen there is compiled from them, in memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.options import SCHEDULE, CompileOptions
from compiler.compiling import checked_programs, lower
from compiler.dialects import pim, spat
from compiler.mapping.schedules.copies import Weighing
from compiler.mapping.schedules.duplication import CHOICES
from compiler.passes import PIPELINE, rest, run_pipeline
from compiler.request import CompileRequest
from compiler.request_passes import passes_of
from compiler.session.context import CompilerContext, make_context
from compiler.session.refusal import refusals
from compiler.transforms.arrange import traffic_of
from compiler.transforms.lower_onnx_to_spat import LowerOnnxToSpatPass
from emu.options import default_of, is_numbers
from emu.program.program import Program

Pair = tuple[int, int]  # sender and receiver
# What is done without the passes that follow.
_OF_PASSES = {name: default_of(CompileOptions, name) for name in (*SCHEDULE, "segments", "chips")}
_SHARED = PIPELINE[: PIPELINE.index(LowerOnnxToSpatPass.name) + 1]


class Candidates:
    """All that candidates of one network share. Raises as `compile` does where the network itself is refused."""

    def __init__(self, request: CompileRequest) -> None:
        plain = replace(
            request,
            options=replace(request.options, **_OF_PASSES),  # what is given by hand is of the passes that follow
            pipeline=",".join(_SHARED),
        )
        self._context = make_context(plain.arch, plain.options)
        self._layers, self._where = lower(plain, self._context)

    def programs(self, request: CompileRequest, pause: Callable[[], None]) -> dict[int, Program]:
        """The programs by core that `compile` would write for `request`; `pause` is called between passes.

        Raises EmuErrors, and whatever `pause` raises.
        """
        with self._lowered(request, pause) as (context, module):
            return {core.program.core: core.program for core in checked_programs(module, context)}

    def traffic(self, request: CompileRequest, pause: Callable[[], None]) -> tuple[list[int], Mapping[Pair, int]]:
        """The cores that get programs, ascending, and bytes by sender and receiver; raises as `programs` does."""
        with self._lowered(request, pause) as (_, module):
            cores = [op for op in module.ops if isinstance(op, pim.CoreOp)]
            return sorted(core.coreId.value.data for core in cores), traffic_of(cores)

    @contextmanager
    def _lowered(
        self, request: CompileRequest, pause: Callable[[], None]
    ) -> Generator[tuple[CompilerContext, ModuleOp]]:
        """The last IR of a candidate, and its context; what is refused inside of it is told with the network."""
        context, module = self._fresh(request), self._layers.clone()
        with refusals(self._where, context):

            @contextmanager
            def around(_: str) -> Generator[None]:
                pause()
                yield

            run_pipeline(rest(passes_of(request), "spat"), context, module, around)
            pause()
            yield context, module

    def copies(self, request: CompileRequest) -> list[int]:
        """How many copies of its weights each layer that multiplies has in `request`."""
        ops = list(self._layers.ops)
        asked = request.options.duplicate
        if asked is None:
            return [1 for op in ops if isinstance(op, spat.ProductOp)]
        if is_numbers(asked):
            return [int(number) for number in asked.split(",")]
        options = request.options
        weighing = Weighing(self._context, ops, options.packing, options.placement, options.segments)
        return weighing.copies(CHOICES[asked], request.cores)

    def _fresh(self, request: CompileRequest) -> CompilerContext:
        """A context for one candidate, which sees the weights and leaves those of others alone."""
        context = self._context.clone()
        context.options, context.weights, context.warnings = request.options, self._context.weights.copy(), []
        return context
