"""Compiles a network to an `out/` directory: import, passes, code generation, files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from compiler.clock import Clock, Progress
from compiler.codegen.generate import CoreProgram, generate, global_size, tensors
from compiler.dump import Dump
from compiler.front_ends import front_end_of
from compiler.frontend.states import States, checked_states, states_of
from compiler.partition.given import core_numbers
from compiler.passes import PIPELINE, SCHEMES, make_pass, name_of, parse_pipeline, reaches, rest, run_pass, until
from compiler.schedules.duplication import CHOICES
from compiler.schedules.following import COLUMNS
from compiler.session.context import CompileOptions, CompilerContext, Network, make_context
from compiler.session.refusal import refusals
from compiler.text import attach_weights, is_as_written, read_module, stage_of
from compiler.transforms.allocate_buffers import AllocateBuffersPass
from compiler.transforms.arrange import ArrangePass
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.duplicate import DuplicatePass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from compiler.transforms.pipeline import PipelinePass
from compiler.transforms.remap_rows import RemapRowsPass
from compiler.transforms.segment import SegmentPass
from compiler.transforms.stagger import StaggerPass
from compiler.transforms.unroll_pixels import UnrollPixelsPass
from emu import __version__
from emu.arch import Arch
from emu.arch_file import load_arch
from emu.errors import CompileError, InputError, option
from emu.image.cell_table import cell_table
from emu.image.cells import Cells
from emu.image.manifest import Manifest, ModelInfo, Segment
from emu.image.writer import ImageWriter
from emu.program.group import physical_crossbars
from emu.program.validate import validate_program
from emu.wording import counted

ARCH = "architecture"  # its digest among the settings of a text; the manifest of an image has all of it
MAX_LENGTH = "max_length"  # the option as manifests list it
DEFAULT_CORES = 64  # fewer where the architecture has fewer
TRAFFIC = "traffic"  # how cores may be arranged, beside their numbers
NUMBERED: Mapping[str, Sequence[str]] = {"duplicate": tuple(CHOICES), "arrange": (TRAFFIC,)}  # words, or numbers
Finish = Callable[[ImageWriter, Manifest], Manifest]  # adds files such as inputs and golden values


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """What to compile and how, as in `compile`: a `model` that a front end recognises, or the text `start`."""

    model: object = None
    arch: Arch
    options: CompileOptions
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])
    states: States = field(default_factory=dict[str, str])  # output by input, or "auto"
    pipeline: str | None = None  # of passes; None: the default one
    lowering: str = "channel"  # of the default pipeline: a name in `SCHEMES`
    duplicate: str | None = None  # of the default pipeline: what copies of weights are for (`CHOICES`), or how many
    pipelined: bool = False  # of the default pipeline: layers overlap within one image
    stagger: bool = (
        False  # of the default pipeline: row tiles are multiplied one after another, each when its slice is there
    )
    remap_rows: bool = False  # of the default pipeline: rows are spread over free crossbars
    arrange: str | None = None  # of the default pipeline: where cores stand, `TRAFFIC` or their numbers
    until: str | None = None  # the stage to stop after
    start: Path | None = None  # text of a stage to go on from, instead of `model`
    weights: Path | None = None  # of the text; None: the file beside it
    dump: Path | None = None  # folder for the IR after each pass
    host_fallback: bool = False  # leave nodes that are refused to the host
    progress: Progress | None = None


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


def compile(
    model: str | Path | object,
    arch: str | Arch = "default",
    *,
    cores: int | None = None,
    out: str | Path = "out",
    packing: str = "dense",
    placement: str = "frugal",
    granularity: str = "image",
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    states: States | None = None,
    max_length: int | None = None,
    host_fallback: bool = False,
    lowering: str = "channel",
    duplicate: str | None = None,
    pipelined: bool = False,
    stagger: bool = False,
    remap_rows: bool = False,
    arrange: str | None = None,
    segments: bool = False,
    finish: Finish | None = None,
) -> CompileResult:
    """Compile an ONNX network for up to `cores` cores of `arch` into directory `out`.

    `cores` None means 64, or all of an architecture that has fewer. `model` is a file or an `onnx.ModelProto`; `arch`
    a preset, a TOML file or an `Arch`; `packing` "dense" or "kernel"; `placement` "frugal", "scatter" or "pack";
    `granularity` "image" (whole tensors), "rows:N" (N rows at a time) or "auto"; `shapes` fixes dynamic inputs, such as
    {"data": (1, 3, 224, 224)}. `states` are inputs that a chip may keep between steps, such as {"past": "present"}, or
    "auto" by usual names; `max_length` makes key-value caches that grow hold so many tokens;
    with `host_fallback` the host does what is refused of a network. `lowering` "pixel" makes a product of every
    output pixel, the older scheme, to compare with. `duplicate` gives layers copies of their weights on the cores
    that are left, for the least "latency", the most "throughput", "greedy" one by one, or as many for each as in
    "8,2,1"; `pipelined` lets layers overlap within one image. `stagger` multiplies each row tile as soon as its slice
    of the input is there, so that fewer crossbars work at a time; `remap_rows` spreads rows that are driven one after
    another over free crossbars. `arrange` "traffic" numbers the cores so that those that send much to each other stand
    close on the mesh, "3,0,1" as it says. With `segments` a network that is larger than the cores runs in parts, whose
    weights are written to the crossbars one after the other. `finish` may add files to `out` before it is put in place.
    Raises CompileError, ArchError or InputError, each with one sentence.
    """
    description = arch if isinstance(arch, Arch) else load_arch(arch)
    source = Path(model) if isinstance(model, str) else model
    options = compile_options(cores, packing, placement, description, granularity, max_length, segments)
    request = CompileRequest(
        model=source,
        arch=description,
        options=options,
        shapes=checked_shapes(shapes),
        states=checked_states(states),
        host_fallback=host_fallback,
        lowering=lowering,
        duplicate=duplicate,
        pipelined=pipelined,
        stagger=stagger,
        remap_rows=remap_rows,
        arrange=arrange,
    )
    return compile_request(request, Path(out), finish)


def compile_request(request: CompileRequest, out: Path | None, finish: Finish | None = None) -> CompileResult:
    """`compile_model`, with host nodes if `request` allows them and writes programs of a model."""
    if not request.host_fallback or out is None or request.start is not None:
        return compile_model(request, out, finish)
    from compiler.host_fallback import compile_with_host

    return compile_with_host(request, out, finish)


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
    cores: object,
    packing: str,
    placement: str,
    arch: Arch,
    granularity: str = "image",
    max_length: object = None,
    segments: bool = False,
) -> CompileOptions:
    """Checked options; raises InputError for unknown names or an impossible number of cores (None: the default)."""
    if cores is None:
        cores = min(DEFAULT_CORES, arch.cores)
    if isinstance(cores, bool) or not isinstance(cores, int):
        raise InputError(f"cores {cores!r} is no number of cores: give an int, or None for the default")
    if not 0 < cores <= arch.cores:
        raise InputError(f"{option('cores')} {cores}: {arch.title} has 1 to {counted(arch.cores, 'core')}")
    if packing not in ("dense", "kernel"):
        raise InputError(f"{option('packing')} {packing!r} is unknown: use 'dense' or 'kernel'")
    if placement not in ("frugal", "scatter", "pack"):
        raise InputError(f"{option('placement')} {placement!r} is unknown: use 'frugal', 'scatter' or 'pack'")
    kind, _, rows = granularity.partition(":")
    if granularity not in ("image", "auto") and not (kind == "rows" and rows.isdecimal() and int(rows) > 0):
        raise InputError(
            f"{option('granularity')} {granularity!r} is unknown: use 'image', 'auto', or 'rows:N' with N >= 1"
        )
    if max_length is not None and (not isinstance(max_length, int) or isinstance(max_length, bool) or max_length < 1):
        raise InputError(f"{option('max_length')} {max_length!r} is no number of tokens: give an int of 1 or more")
    return CompileOptions(cores, packing, placement, granularity, max_length, segments)


def compile_model(request: CompileRequest, out: Path | None, finish: Finish | None = None) -> CompileResult:
    """Run the request; with `out`, write the programs there, else stop after the passes. Raises as `compile` does."""
    clock, dump = Clock(request.progress), Dump(request.dump)
    context = make_context(request.arch, request.options)
    module, where = lower(request, context, clock, dump)
    result = CompileResult(None, module, context, request.arch, 0, 0, 0, (), clock.seconds)
    if out is not None and request.until is None:
        with refusals(where, context):
            result = _write(request, context, module, out, finish, clock)
    return replace(result, warnings=tuple(context.warnings), unchanged=tuple(dump.unchanged))


def lower(
    request: CompileRequest, context: CompilerContext, clock: Clock | None = None, dump: Dump | None = None
) -> tuple[ModuleOp, str]:
    """Read model or text into `context`, run the passes: the last IR, and what errors call it. Raises as `compile`."""
    clock = clock or Clock()
    pipeline = until(pipeline_of(request), request.until)
    with clock.step("import", 0.05):
        if request.start is None:
            imported = front_end_of(request.model).read(request.model, context, request.shapes)
            module, where = imported.module, imported.where
            context.network = Network(imported.name, imported.sha256, imported.nodes)
            context.kinds = imported.kinds
            context.states = states_of(imported, request.states)
            context.settings = settings_of(request) | _settings_of_states(request, context)
        else:
            module, where = read_module(request.start, context), str(request.start)
            stage = stage_of(module, where)
            if request.until is not None and not reaches(stage, request.until):
                raise InputError(f"{option('until')} {request.until}: {where} is past it, at stage {stage}")
            pipeline = rest(pipeline, stage)
            context.settings = _settings_of_text(request, context)
            attach_weights(module, context, request.weights)
    with refusals(where, context), dump or Dump(request.dump) as written:
        written.write(0, "import", module, context)
        for number, entry in enumerate(pipeline, start=1):
            name = make_pass(entry).name
            with clock.step(name, 0.05 + 0.15 * number / len(pipeline)):
                run_pass(entry, context, module)
            written.write(number, name, module, context)
        module.verify()
    return module, where


def pipeline_of(request: CompileRequest) -> tuple[str, ...]:
    """The passes that are asked for; raises InputError."""
    if request.lowering not in SCHEMES:
        names = " or ".join(map(repr, SCHEMES))
        raise InputError(f"{option('lowering')} {request.lowering!r} is unknown: use {names}")
    for name, words in NUMBERED.items():
        given = getattr(request, name)
        if given is not None and given not in words and not is_numbers(given):
            names = ", ".join(map(repr, words))
            raise InputError(f"{option(name)} {given!r} is unknown: use one of {names}, or numbers such as 3,1,2")
    if request.pipeline is None:
        return _scheduled(SCHEMES[request.lowering], request)
    given = parse_pipeline(request.pipeline)
    for text, name, place in _passes_of_schedule(request):
        if name_of(name) not in map(name_of, given):
            raise InputError(
                f"{text} changes the default passes, and {option('pipeline')} names others: name {name} there, {place}"
            )
    if SCHEMES[request.lowering] != PIPELINE:
        raise InputError(
            f"{option('lowering', request.lowering)} chooses the default passes, and {option('pipeline')} names others:"
            f" name {UnrollPixelsPass.name} there, before place"
        )
    return given


def _passes_of_schedule(request: CompileRequest) -> Iterator[tuple[str, str, str]]:
    """The options of a schedule that are given: as text, the pass of each, and where it belongs."""
    if request.duplicate is not None:
        how = f"copies={request.duplicate}" if is_numbers(request.duplicate) else f"for={request.duplicate}"
        along = f" along={COLUMNS}" if request.pipelined else ""
        name = f"{DuplicatePass.name}{{{how}{along}}}"
        yield option("duplicate", request.duplicate), name, f"before {CutLayersPass.name}"
    if request.stagger:
        yield option("stagger"), StaggerPass.name, f"before {LowerSpatToPimPass.name}"
    if request.remap_rows:
        yield option("remap_rows"), RemapRowsPass.name, f"before {LowerSpatToPimPass.name}"
    if request.pipelined:
        yield option("pipelined"), PipelinePass.name, f"before {LowerSpatToPimPass.name}"
    if request.options.segments:
        yield option("segments"), SegmentPass.name, f"before {CutLayersPass.name}"
    if request.arrange is not None:
        how = f"{{cores={request.arrange}}}" if is_numbers(request.arrange) else ""
        yield option("arrange", request.arrange), f"{ArrangePass.name}{how}", f"before {AllocateBuffersPass.name}"


def is_numbers(text: str) -> bool:
    """Whether it is a list of whole numbers, as in 8,2,1."""
    return all(part.isdecimal() and part.isascii() for part in text.split(","))


def _scheduled(pipeline: Sequence[str], request: CompileRequest) -> tuple[str, ...]:
    """The default passes with those of the schedule that is asked for."""
    before: dict[str, list[str]] = defaultdict(list)
    for _, name, place in _passes_of_schedule(request):
        before[place.removeprefix("before ")].append(name)
    return tuple(step for name in pipeline for step in (*before.get(name, ()), name))


def settings_of(request: CompileRequest) -> dict[str, str]:
    """The options of a request for a model, as its manifest lists them; those of states are not among them."""
    return _settings(request, request.shapes)


def _settings(request: CompileRequest, shapes: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """The options as manifests and texts list them, enough to compile in the same way again."""
    return {
        "compiler": __version__,
        "cores": str(request.options.cores),
        "packing": request.options.packing,
        "placement": request.options.placement,
        "granularity": request.options.granularity,
        ARCH: sha256(repr(request.arch).encode()).hexdigest(),
        **{f"shape {name}": ",".join(map(str, sizes)) for name, sizes in sorted(shapes.items())},
        **({"passes": request.pipeline} if request.pipeline is not None else {}),
        **({"segments": "yes"} if request.options.segments else {}),
        **({"lowering": request.lowering} if SCHEMES[request.lowering] != PIPELINE else {}),
        **({"duplicate": request.duplicate} if request.duplicate is not None else {}),
        **({"pipelined": "yes"} if request.pipelined else {}),
        **({"stagger": "yes"} if request.stagger else {}),
        **({"remap_rows": "yes"} if request.remap_rows else {}),
        **({"arrange": request.arrange} if request.arrange is not None else {}),
    }


def _settings_of_states(request: CompileRequest, context: CompilerContext) -> dict[str, str]:
    """What options of states and caches are listed as; only where there are some."""
    length = request.options.max_length
    return {
        **{f"state {state.input}": state.output for state in context.states},
        **({MAX_LENGTH: str(length)} if length is not None else {}),
    }


def _settings_of_text(request: CompileRequest, context: CompilerContext) -> dict[str, str]:
    """The settings of a request that goes on from text, with the text's digest if that was edited or made otherwise."""
    assert context.source is not None
    before, text = context.settings, context.source.text
    for name, given in (("states", request.states), (MAX_LENGTH, request.options.max_length)):
        if given:
            raise InputError(f"{option(name)} is for reading a model, and {request.start} is a text: leave it out")
    of_model = ("shape ", "state ", MAX_LENGTH)
    settings = _settings(request, {}) | {name: text for name, text in before.items() if name.startswith(of_model)}
    for name, sizes in _settings(request, request.shapes).items():
        if settings.get(name) != sizes:
            raise InputError(f"{option('shapes', request.shapes)}: {request.start} was not made for these shapes")
    if before == settings and is_as_written(text):
        return settings
    return settings | {"from": f"text of a stage, sha256 {sha256(text.encode()).hexdigest()}"}


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
    count, held = Counter[str](), dict[int, list[Cells]]()
    arch = request.arch
    settings = context.settings | {"granularity": context.options.granularity}
    numbers, size, programs = core_numbers(module, context), global_size(module), checked_programs(module, context)
    with clock.step("codegen", 0.2), ImageWriter(out) as writer:
        for core in programs:
            writer.add_core(core.program, core.own)
            if core.stored.size:
                size = core.stored.spec.end
                writer.add_read_only(core.stored.spec, core.stored.elements())
            held[core.program.core] = [entry.cells for entry in core.weights]
            count.update(
                cores=1, crossbars=physical_crossbars(core.program.groups, arch), instructions=len(core.program.main)
            )
            clock.report("codegen", 0.2 + 0.7 * count["cores"] / len(numbers))
        manifest = Manifest(
            arch,
            (),
            tensors(module, "input"),
            tensors(module, "output"),
            size,
            ModelInfo(context.network.name, context.network.sha256),
            options={name: value for name, value in settings.items() if name != ARCH},
            tensors=context.fates.origins(context.network.nodes),
            warnings=tuple(context.warnings),
            states=context.states,
            crossbars=cell_table(held),
        )
        clock.report("golden", 0.9)
        writer.finish(finish(writer, manifest) if finish is not None else manifest)
    return CompileResult(
        out, module, context, arch, count["cores"], count["crossbars"], count["instructions"], (), clock.seconds
    )
