"""Compiles a network to an `out/` directory: import, passes, code generation, files."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from compiler.codegen.generate import generate, global_size, tensors
from compiler.context import CompileOptions, CompilerContext, make_context
from compiler.frontend.importer import ImportedModel, import_model
from compiler.passes import PASSES, PIPELINE, after, parse_pipeline, reaches, rest, until
from compiler.text import edited_text, own_pipeline, print_module, read_module, stage_of
from emu.arch import Arch
from emu.arch_file import load_arch
from emu.errors import CompileError, InputError
from emu.image.manifest import Manifest, ModelInfo
from emu.image.writer import ImageWriter
from emu.output.whole_file import write_whole
from emu.output.whole_folder import make_folder
from emu.program.validate import validate_program

DEFAULT_CORES = 64  # fewer where the architecture has fewer
Finish = Callable[[ImageWriter, Manifest], Manifest]  # adds files such as inputs and golden values


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """What to compile and how; see `compile` for the meaning of each field."""

    model: Path | ModelProto
    arch: Arch
    options: CompileOptions
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    pipeline: str | None = None
    until: str | None = None
    start: Path | None = None  # text of a stage to go on from
    dump: Path | None = None
    progress: Callable[[str, float], None] | None = None  # told each step and the share done, 0 to 1


@dataclass(frozen=True, slots=True)
class CompileResult:
    """What came out. `module` is the last IR; `out` is None when a stage was asked for instead of programs."""

    out: Path | None
    module: ModuleOp
    arch: Arch
    cores: int
    crossbars: int
    instructions: int
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]  # per step

    @property
    def utilisation(self) -> float:
        """Crossbars in use over crossbars of the cores in use."""
        return self.crossbars / max(1, self.cores * self.arch.core.crossbars)


def compile(
    model: str | Path | ModelProto,
    arch: str | Arch = "default",
    *,
    cores: int | None = None,
    out: str | Path = "out",
    packing: str = "dense",
    placement: str = "spread",
    granularity: str = "image",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    finish: Finish | None = None,
) -> CompileResult:
    """Compile a float32 ONNX network for up to `cores` cores of `arch` into directory `out`.

    `cores` None means 64, or all of an architecture that has fewer.
    `model` is a file or a ModelProto; `arch` a preset, a TOML file or an `Arch`; `packing` "dense" or "kernel";
    `placement` "spread", "scatter" or "pack"; `granularity` "image", "rows:N" (N image rows at a time) or "auto";
    `shapes` fixes dynamic inputs, such as {"data": (1, 3, 224, 224)}. `finish` may add files to `out` before it is
    put in place. Raises CompileError, ArchError or InputError, each with one sentence.
    """
    description = arch if isinstance(arch, Arch) else load_arch(arch)
    source = model if isinstance(model, ModelProto) else Path(model)
    options = compile_options(cores, packing, placement, description, granularity)
    request = CompileRequest(model=source, arch=description, options=options, shapes=checked_shapes(shapes))
    return compile_model(request, Path(out), finish)


def checked_shapes(shapes: object) -> dict[str, tuple[int, ...]]:
    """`shapes` as a dictionary of name and sizes (None: empty); raises InputError for anything else."""
    if shapes is None:
        return {}
    if not isinstance(shapes, Mapping):
        raise InputError(f"shapes {shapes!r} must be a dictionary, such as {{'input': (1, 3, 224, 224)}}")
    for name, sizes in shapes.items():
        if not isinstance(sizes, tuple | list) or not all(isinstance(size, int) for size in sizes):
            raise InputError(f"the shape {sizes!r} of {name!r} must be a tuple of int, such as (1, 3, 224, 224)")
    return {str(name): tuple(sizes) for name, sizes in shapes.items()}


def compile_options(
    cores: object, packing: str, placement: str, arch: Arch, granularity: str = "image"
) -> CompileOptions:
    """Checked options; raises InputError for unknown names or an impossible number of cores (None: the default)."""
    if cores is None:
        cores = min(DEFAULT_CORES, arch.cores)
    if isinstance(cores, bool) or not isinstance(cores, int):
        raise InputError(f"cores {cores!r} is no number of cores: give an int, or None for the default")
    if not 0 < cores <= arch.cores:
        raise InputError(f"--cores {cores}: architecture {arch.name} has 1 to {arch.cores} cores")
    if packing not in ("dense", "kernel"):
        raise InputError(f"--packing {packing!r} is unknown: use 'dense' or 'kernel'")
    if placement not in ("spread", "scatter", "pack"):
        raise InputError(f"--placement {placement!r} is unknown: use 'spread', 'scatter' or 'pack'")
    kind, _, rows = granularity.partition(":")
    if granularity not in ("image", "auto") and not (kind == "rows" and rows.isdecimal() and int(rows) > 0):
        raise InputError(f"--granularity {granularity!r} is unknown: use 'image', 'auto', or 'rows:N' with N >= 1")
    return CompileOptions(cores, packing, placement, granularity)


def compile_model(request: CompileRequest, out: Path | None, finish: Finish | None = None) -> CompileResult:
    """Run the request; with `out`, write the programs there, else stop after the passes."""
    clock = _Clock(request.progress)
    context = make_context(request.arch, request.options)
    with edited_text(request.start), own_pipeline(request.pipeline):
        module, imported = lower(request, context, clock)
        if out is None or request.until is not None:
            return CompileResult(None, module, request.arch, 0, 0, 0, tuple(context.warnings), clock.seconds)
        return _write(request, context, imported, module, out, finish, clock)


def lower(
    request: CompileRequest, context: CompilerContext, clock: _Clock | None = None
) -> tuple[ModuleOp, ImportedModel]:
    """Import the model into `context` and run the request's passes: the last IR, and what was imported."""
    clock = clock or _Clock(None)
    with clock.step("import", 0.05):
        imported = import_model(request.model, context, request.shapes)
    return _run_passes(request, context, imported.module, clock), imported


def _run_passes(request: CompileRequest, context: CompilerContext, module: ModuleOp, clock: _Clock) -> ModuleOp:
    pipeline = parse_pipeline(request.pipeline) if request.pipeline is not None else PIPELINE
    pipeline = until(pipeline, request.until)
    if request.start is not None:
        start = read_module(request.start, context)
        stage = stage_of(start, str(request.start))
        if request.until is not None and not reaches(stage, request.until):
            raise InputError(f"--until {request.until}: {request.start} is past it, at stage {stage}")
        # The passes up to the text's stage run all the same: they fill the weight store that the text refers to.
        context.weights.keep_all = True
        _apply(pipeline[: len(pipeline) - len(after(pipeline, stage))], context, module, clock)
        module, pipeline = start, rest(pipeline, stage)
    _dump(request.dump, 0, "import", module)
    _apply(pipeline, context, module, clock, request.dump)
    return module


def _apply(
    pipeline: Sequence[str], context: CompilerContext, module: ModuleOp, clock: _Clock, dump: Path | None = None
) -> None:
    for number, name in enumerate(pipeline, start=1):
        with clock.step(name, 0.05 + 0.15 * number / len(pipeline)):
            PASSES[name]().apply(context, module)
        _dump(dump, number, name, module)
    module.verify()


def _dump(folder: Path | None, number: int, name: str, module: ModuleOp) -> None:
    if folder is not None:
        make_folder(folder)
        write_whole(folder / f"{number:02d}-{name}.mlir", print_module(module).encode())


def _write(
    request: CompileRequest,
    context: CompilerContext,
    imported: ImportedModel,
    module: ModuleOp,
    out: Path,
    finish: Finish | None,
    clock: _Clock,
) -> CompileResult:
    count: Counter[str] = Counter()
    arch, weights = request.arch, context.weights
    total = sum(1 for op in module.ops if op.name == "pim.core")
    if not total:
        raise CompileError("the pipeline left no pim.core, so no program: end it with allocate-buffers")
    with clock.step("codegen", 0.2), ImageWriter(out) as writer:
        for core in generate(module, weights):
            validate_program(core.program, arch, imported.name or "the network", set(range(total)))
            writer.add_core(core.program, (entry.make() for entry in core.weights))
            count.update(cores=1, crossbars=core.program.crossbars, instructions=len(core.program.main))
            clock.report("codegen", 0.2 + 0.7 * count["cores"] / total)
        size = global_size(module)
        if size > arch.global_memory.size:
            raise CompileError(
                f"inputs and outputs need {size} bytes of global memory, but architecture {arch.name} has"
                f" {arch.global_memory.size}: raise [global_memory] size"
            )
        manifest = Manifest(
            arch,
            (),
            tensors(module, "input"),
            tensors(module, "output"),
            size,
            ModelInfo(imported.name, imported.sha256),
            options={
                "cores": str(request.options.cores),
                "packing": request.options.packing,
                "placement": request.options.placement,
                "granularity": context.options.granularity,
            },
        )
        clock.report("golden", 0.9)
        writer.finish(finish(writer, manifest) if finish is not None else manifest)
    return CompileResult(
        out,
        module,
        arch,
        count["cores"],
        count["crossbars"],
        count["instructions"],
        tuple(context.warnings),
        clock.seconds,
    )


class _Clock:
    """Seconds per step, and progress for whoever asked."""

    def __init__(self, progress: Callable[[str, float], None] | None) -> None:
        self.seconds: dict[str, float] = {}
        self._progress = progress

    def report(self, name: str, share: float) -> None:
        """Tell the progress."""
        if self._progress is not None:
            self._progress(name, share)

    def step(self, name: str, share: float) -> _Step:
        """A context manager around one step."""
        self.report(name, share)
        return _Step(self, name)


class _Step:
    """Measures one step."""

    def __init__(self, clock: _Clock, name: str) -> None:
        self._clock, self._name, self._start = clock, name, time.perf_counter()

    def __enter__(self) -> None:
        self._start = time.perf_counter()

    def __exit__(self, *exc: object) -> None:
        elapsed = time.perf_counter() - self._start
        self._clock.seconds[self._name] = self._clock.seconds.get(self._name, 0.0) + elapsed
