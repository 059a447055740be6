"""All passes by name, the default pipeline, and the stages at which it can stop."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import lru_cache

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError

from compiler.basis.by_path import by_path
from compiler.basis.entries import entries_of, name_of
from compiler.basis.options import CompileOptions, with_options
from compiler.session.context import CompilerContext
from compiler.text_check import check_made
from compiler.transforms.allocate_buffers import AllocateBuffersPass
from compiler.transforms.arrange import ArrangePass
from compiler.transforms.choose_chips import ChooseChipsPass
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.duplicate import DuplicatePass
from compiler.transforms.join_messages import JoinMessagesPass
from compiler.transforms.lower_onnx_to_spat import LowerOnnxToSpatPass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from compiler.transforms.onnx_pipeline import ONNX_PASSES, ONNX_PIPELINE
from compiler.transforms.pipeline import PipelinePass
from compiler.transforms.place import PlacePass
from compiler.transforms.remap_rows import RemapRowsPass
from compiler.transforms.segment import SegmentPass
from compiler.transforms.stagger import StaggerPass
from compiler.transforms.unroll_pixels import UnrollPixelsPass
from compiler.transforms.write_products import WriteProductsPass
from emu.errors import CompileError, EmuError, InputError, option
from emu.wording import nearest

LOWERINGS = (  # in order
    LowerOnnxToSpatPass,
    CutLayersPass,
    PlacePass,
    LowerSpatToPimPass,
    JoinMessagesPass,
    AllocateBuffersPass,
)
PASSES: Mapping[str, type[ModulePass]] = {
    **ONNX_PASSES,
    **{kind.name: kind for kind in LOWERINGS},
    ChooseChipsPass.name: ChooseChipsPass,  # of --chips auto, before anything depends on how many there are
    ArrangePass.name: ArrangePass,  # of --arrange, when the programs are made
    DuplicatePass.name: DuplicatePass,  # of --duplicate, before layers are cut
    PipelinePass.name: PipelinePass,  # of --pipelined, when the cores are chosen
    RemapRowsPass.name: RemapRowsPass,  # of --remap-rows, when the cores are chosen
    SegmentPass.name: SegmentPass,  # of --segments, before the layers are cut
    StaggerPass.name: StaggerPass,  # of --stagger, when the cores are chosen
    UnrollPixelsPass.name: UnrollPixelsPass,  # of --lowering pixel, before the cores are chosen
    WriteProductsPass.name: WriteProductsPass,  # of --products all, when the cores are chosen
}
# The last pass of each stage of IR: its dump can be edited, and compiled further from there.
STAGES: Mapping[str, str] = {
    "onnx": ONNX_PIPELINE[-1],
    "spat": PlacePass.name,
    "pim": AllocateBuffersPass.name,
}
PIPELINE: tuple[str, ...] = (
    *ONNX_PIPELINE,
    *(kind.name for kind in LOWERINGS),
)
# The default pipeline for each way to lower convolutions. The scheme by pixels is one of a message per pixel.
SCHEMES: Mapping[str, tuple[str, ...]] = {
    "channel": PIPELINE,
    "pixel": tuple(
        step
        for name in PIPELINE
        if name != JoinMessagesPass.name
        for step in ((UnrollPixelsPass.name, name) if name == PlacePass.name else (name,))
    ),
}
_MAKERS: Mapping[str, str] = {
    "spat": LowerOnnxToSpatPass.name,
    "pim": LowerSpatToPimPass.name,
}  # of a stage's operations


def descriptions() -> list[tuple[str, str, str]]:
    """Name, stage of the result, and first line of the docstring, of every pass of the default pipeline, in order."""
    stages: dict[str, str] = {}
    for stage in STAGES:
        for name in until(PIPELINE, stage):
            stages.setdefault(name, stage)
    return [(name, stages[name], (inspect.getdoc(PASSES[name]) or "").partition("\n")[0]) for name in PIPELINE]


def parse_pipeline(text: str) -> tuple[str, ...]:
    """The entries of `a,b{option=1},package.module:Pass`; raises InputError for one that is no pass."""
    entries = entries_of(text)
    for entry in entries:
        make_pass(entry)
    return entries


def make_pass(entry: str, options: CompileOptions | None = None) -> ModulePass:
    """The pass of an entry, by name or by import path; raises InputError for one that is no pass.

    What a pass takes of the options, and the entry does not say, it has from `options`.
    """
    kind, name = pass_class(entry), name_of(entry)
    try:
        made, said = _made_once(entry) if name in PASSES else _made(entry, kind)
        return with_options(made, said, options)
    except (Exception, ArgSpecParseError) as error:  # xDSL's is none; and a class of the user's may raise any
        raise InputError(f"pipeline: {entry!r} cannot be made a pass: {' '.join(str(error).split())[:200]}") from error


def pass_class(entry: str) -> type[ModulePass]:
    """The class of the pass of an entry, by name or by import path; raises InputError for one that is no pass."""
    name = name_of(entry)
    kind = PASSES.get(name) or (own_pass(name) if ":" in name else None)
    if kind is None:
        advice = nearest(name, PASSES) or f": {option('list_passes')} names them all"
        raise InputError(f"pipeline: there is no pass {name!r}{advice}")
    return kind


def _made(entry: str, kind: type[ModulePass]) -> tuple[ModulePass, Collection[str]]:
    """The pass of an entry, and the names of the options that the entry says."""
    spec = replace(parse_spec(f"pass{entry[len(name_of(entry)) :]}"), name=kind.name)
    return kind.from_spec(spec), spec.parameters


@lru_cache(256)
def _made_once(entry: str) -> tuple[ModulePass, Collection[str]]:
    """The same for passes of ours, which nobody changes: whoever compiles a small network often waits for this."""
    return _made(entry, PASSES[name_of(entry)])


def own_pass(path: str) -> type[ModulePass]:
    """The pass class at `package.module:Class`, also of the current directory; raises InputError."""
    try:
        kind = by_path(path)
    except Exception as error:  # whatever the module does when it is imported
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"pipeline: the pass {path!r} cannot be imported: {reason}") from error
    if not (isinstance(kind, type) and issubclass(kind, ModulePass)) or not isinstance(getattr(kind, "name", 0), str):
        raise InputError(f"pipeline: {path!r} is no class derived from xDSL's ModulePass, with a name")
    return kind


def run_pipeline(
    entries: Iterable[str],
    context: CompilerContext,
    module: ModuleOp,
    around: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Run the entries over the module, in place, each inside of what `around` gives for the name of its pass.

    Raises InputError for an entry that is no pass, and CompileError.
    """
    for entry in entries:
        with around(pass_class(entry).name):
            _run(entry, context, module)


def _run(entry: str, context: CompilerContext, module: ModuleOp) -> None:
    """Run one entry of a pipeline, in place; what a pass of the user's raises, or spoils, is a CompileError."""
    if name_of(entry) in PASSES:
        make_pass(entry, context.options).apply(context, module)
        return
    try:
        make_pass(entry, context.options).apply(context, module)
    except EmuError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise CompileError(f"pass {name_of(entry)}: {type(error).__name__}{reason and f': {reason}'}") from error
    check_made(entry, module, context)


def check_stage(stage: str) -> str:
    """The name of a stage; raises InputError for any other."""
    if stage not in STAGES:
        raise InputError(f"{option('until')} {stage!r}: there is no such stage; use one of {', '.join(STAGES)}")
    return stage


def until(pipeline: Sequence[str], stage: str | None) -> tuple[str, ...]:
    """The part of a pipeline that ends with the last pass of `stage` (None: all of it); raises InputError."""
    if stage is None:
        return tuple(pipeline)
    names, last = [name_of(entry) for entry in pipeline], STAGES[check_stage(stage)]
    return tuple(pipeline[: names.index(last) + 1]) if last in names else tuple(pipeline)


def reaches(stage: str, goal: str) -> bool:
    """Whether IR at `stage` can still come to stage `goal`."""
    order = tuple(STAGES)
    return order.index(stage) <= order.index(goal)


def rest(pipeline: Sequence[str], stage: str) -> tuple[str, ...]:
    """The passes of `pipeline` to run on text of `stage`; a pass that finds its work done changes nothing.

    Of the passes over the `onnx` dialect any may be missing; in `spat`, layers may be whole still or computes without
    cores; in `pim`, buffers without addresses.
    """
    names, made_by = [name_of(entry) for entry in pipeline], _MAKERS.get(stage)
    return tuple(pipeline[names.index(made_by) + 1 :]) if made_by in names else tuple(pipeline)
