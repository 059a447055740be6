"""One compilation: import, passes, code generation, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from compiler.basis.chips import ARCH
from compiler.clock import Clock
from compiler.codegen.generate import CoreProgram, generate, global_size, tensors
from compiler.dump import Dump
from compiler.front_ends import front_end_of
from compiler.frontend.front_end import ImportedModel
from compiler.frontend.states import states_of
from compiler.mapping.tiling.given import core_numbers
from compiler.module_metadata import granularity_of
from compiler.passes import reaches, rest, run_pipeline, until
from compiler.request import CompileRequest
from compiler.request_passes import passes_of, refuse_past
from compiler.session.context import CompilerContext, NetworkIdentity, make_context
from compiler.session.refusal import refusals
from compiler.settings import settings_of, settings_of_text
from compiler.spare import spare_before
from compiler.text import attach_weights, read_module, stage_of
from emu.arch import Arch
from emu.errors import CompileError, InputError, option
from emu.image.cell_table import cell_table
from emu.image.cells import Cells
from emu.image.manifest import Manifest, ModelInfo, Segment
from emu.image.writer import ImageWriter
from emu.program.group import physical_crossbars
from emu.program.validate import validate_program

IMPORT = "import"  # what stands before the first pass
Read = Callable[[CompilerContext], ImportedModel]  # into the context
Finish = Callable[[ImageWriter, Manifest], Manifest]  # adds files such as inputs and golden values


@dataclass(frozen=True, slots=True)
class CompileResult:
    """What came out. `module` is the last IR, of `context`; `out` is None when a stage was asked for, not programs.

    `crossbars` are physical ones, bit slices counted, as `emu info` counts them.
    """

    out: Path | None
    module: ModuleOp
    context: CompilerContext
    arch: Arch
    cores: int
    crossbars: int
    instructions: int
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]  # per step
    unchanged: tuple[str, ...] = ()  # passes that changed nothing, and so are not in `dump`
    segments: tuple[Segment, ...] = ()  # of a network with host nodes; `module` is empty then

    @property
    def utilisation(self) -> float:
        """Crossbars in use over crossbars of the cores in use."""
        return self.crossbars / max(1, self.cores * self.arch.core.crossbars)


def compile_model(
    request: CompileRequest, out: Path | None, finish: Finish | None = None, read: Read | None = None
) -> CompileResult:
    """Run the request; with `out`, write the programs there, else stop after the passes. Raises as `compile` does.

    `read` gives the module instead of the model of the request.
    """
    clock, dump = Clock(request.progress), Dump(request.dump)
    context = make_context(request.arch, request.options)
    module, where = lower(request, context, clock, dump, read)
    result = CompileResult(None, module, context, context.arch, 0, 0, 0, (), clock.seconds)
    if out is not None and request.until is None:
        with refusals(where, context):
            result = _write(request, context, module, out, finish, clock)
    return replace(result, warnings=tuple(context.warnings), unchanged=tuple(dump.unchanged))


def lower(
    request: CompileRequest,
    context: CompilerContext,
    clock: Clock | None = None,
    dump: Dump | None = None,
    read: Read | None = None,
) -> tuple[ModuleOp, str]:
    """Read model or text into `context`, run the passes: the last IR, and what errors call it. Raises as `compile`."""
    clock = clock or Clock()
    pipeline = until(passes_of(request), request.until)
    with clock.step("import", 0.05):
        if request.start is None:
            imported = (read or _read(request))(context)
            module, where = imported.module, imported.where
            context.network = NetworkIdentity(imported.name, imported.sha256, imported.nodes)
            context.kinds = imported.kinds
            context.states = states_of(imported, request.options.states)
            context.settings = settings_of(request, context.states)
        else:
            module, where = read_module(request.start, context), str(request.start)
            stage = stage_of(module, where)
            if request.until is not None and not reaches(stage, request.until):
                raise InputError(f"{option('until')} {request.until}: {where} is past it, at stage {stage}")
            remaining = rest(pipeline, stage)
            refuse_past(request, pipeline[: len(pipeline) - len(remaining)], stage, context.settings)
            pipeline = remaining
            context.settings = settings_of_text(request, context)
            attach_weights(module, context, request.weights)
    with refusals(where, context), dump or Dump(request.dump) as written:
        written.write(0, IMPORT, module, context)
        if request.watch is not None:
            request.watch(IMPORT, module, context)
        numbers = count(1)

        @contextmanager
        def around(name: str) -> Generator[None]:
            number = next(numbers)
            with clock.step(name, 0.05 + 0.15 * number / len(pipeline)):
                context.spare.update(spare_before(name, request, context, module))
                yield
            written.write(number, name, module, context)
            if request.watch is not None:
                request.watch(name, module, context)

        run_pipeline(pipeline, context, module, around)
        if request.start is not None or request.pipeline is not None:
            module.verify()  # what the passes of the default make of a model, tests verify
    return module, where


def _read(request: CompileRequest) -> Read:
    """Reads the model of a request."""
    front_end = front_end_of(request.model)
    return lambda context: front_end.read(request.model, context, request.options.shapes)


def checked_programs(module: ModuleOp, context: CompilerContext) -> Iterator[CoreProgram]:
    """The program of each core of the last IR, valid; raises CompileError if there is none, or too little memory."""
    numbers = core_numbers(module, context)
    if not numbers:
        raise CompileError("the pipeline left no pim.core, so no program: end it with allocate-buffers")
    _refuse_size(global_size(module), context.arch, "inputs and outputs")
    return (_checked(core, context, numbers) for core in generate(module, context.weights))


def _checked(core: CoreProgram, context: CompilerContext, numbers: set[int]) -> CoreProgram:
    validate_program(core.program, context.arch, context.network.name or "the network", numbers)
    if core.stored.size:
        what = "inputs, outputs and weights that wait for their segment"
        _refuse_size(core.stored.spec.end, context.arch, what)
    return core


def _refuse_size(size: int, arch: Arch, what: str) -> None:
    """Raise CompileError if global memory is smaller than `size` bytes."""
    if size > arch.global_memory.size:
        raise CompileError(
            f"{what} need {size} bytes of global memory, but {arch.title} has {arch.global_memory.size}: raise"
            " [global_memory] size"
        )


def _write(
    request: CompileRequest, context: CompilerContext, module: ModuleOp, out: Path, finish: Finish | None, clock: Clock
) -> CompileResult:
    counts, held = Counter[str](), dict[int, list[Cells]]()
    arch = context.arch
    settings = context.settings | {"granularity": granularity_of(context)}
    numbers, size, programs = core_numbers(module, context), global_size(module), checked_programs(module, context)
    with clock.step("codegen", 0.2), ImageWriter(out) as writer:
        for core in programs:
            writer.add_core(core.program, core.own)
            if core.stored.size:
                size = core.stored.spec.end
                writer.add_read_only(core.stored.spec, core.stored.elements())
            held[core.program.core] = [entry.cells for entry in core.weights]
            counts.update(
                cores=1, crossbars=physical_crossbars(core.program.groups, arch), instructions=len(core.program.main)
            )
            clock.report("codegen", 0.2 + 0.7 * counts["cores"] / len(numbers))
        manifest = Manifest(
            arch,
            (),
            tensors(module, "input"),
            tensors(module, "output"),
            size,
            ModelInfo(context.network.name, context.network.sha256),
            options={name: value for name, value in settings.items() if name != ARCH},
            tensors=context.provenance.origins(context.network.nodes),
            warnings=tuple(context.warnings),
            states=context.states,
            crossbars=cell_table(held),
            spare=context.spare if arch.timing is not None else None,
        )
        clock.report("golden", 0.9)
        writer.finish(finish(writer, manifest) if finish is not None else manifest)
    return CompileResult(
        out, module, context, arch, counts["cores"], counts["crossbars"], counts["instructions"], (), clock.seconds
    )
