"""All passes by name, the default pipeline, and the stages at which it can stop."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence

from xdsl.passes import ModulePass

from compiler.transforms.allocate_buffers import AllocateBuffersPass
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.lower_onnx_to_spat import LowerOnnxToSpatPass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from compiler.transforms.onnx_pipeline import ONNX_PASSES, ONNX_PIPELINE
from compiler.transforms.place import PlacePass
from emu.errors import InputError, option
from emu.wording import nearest

LOWERINGS = (LowerOnnxToSpatPass, CutLayersPass, PlacePass, LowerSpatToPimPass, AllocateBuffersPass)  # in order
PASSES: Mapping[str, type[ModulePass]] = {
    **ONNX_PASSES,
    **{kind.name: kind for kind in LOWERINGS},
}
# The last pass of each stage; a dump of one stage can be edited and compiled on from there.
STAGES: Mapping[str, str] = {
    "onnx": ONNX_PIPELINE[-1],
    "spat": PlacePass.name,
    "pim": AllocateBuffersPass.name,
}
PIPELINE: tuple[str, ...] = (
    *ONNX_PIPELINE,
    *(kind.name for kind in LOWERINGS),
)


def descriptions() -> list[tuple[str, str, str]]:
    """Name, the stage that its result belongs to, and one sentence, of every pass of the default pipeline, in order."""
    stages: dict[str, str] = {}
    for stage in STAGES:
        for name in until(PIPELINE, stage):
            stages.setdefault(name, stage)
    return [(name, stages[name], (inspect.getdoc(PASSES[name]) or "").partition("\n")[0]) for name in PIPELINE]


def parse_pipeline(text: str) -> tuple[str, ...]:
    """Pass names from `a,b,c`; raises InputError for a name that is not a pass."""
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        if name not in PASSES:
            advice = nearest(name, PASSES) or f": {option('list_passes')} names them all"
            raise InputError(f"pipeline: there is no pass {name!r}{advice}")
    return names


def check_stage(stage: str) -> str:
    """The name of a stage; raises InputError for any other."""
    if stage not in STAGES:
        raise InputError(f"{option('until')} {stage!r}: there is no such stage; use one of {', '.join(STAGES)}")
    return stage


def until(pipeline: Sequence[str], stage: str | None) -> tuple[str, ...]:
    """The part of a pipeline that ends with the last pass of `stage`; all of it for None."""
    if stage is None:
        return tuple(pipeline)
    last = STAGES[check_stage(stage)]
    return tuple(pipeline[: pipeline.index(last) + 1]) if last in pipeline else tuple(pipeline)


def reaches(stage: str, goal: str) -> bool:
    """Whether IR at `stage` can still come to stage `goal`."""
    order = tuple(STAGES)
    return order.index(stage) <= order.index(goal)


def rest(pipeline: Sequence[str], stage: str) -> tuple[str, ...]:
    """What is left to run on text of `stage`: any part of the `onnx` passes may be, and allocation keeps addresses."""
    if stage == "onnx":
        return tuple(pipeline)
    return (AllocateBuffersPass.name,) if stage == "pim" else after(pipeline, stage)


def after(pipeline: Sequence[str], stage: str) -> tuple[str, ...]:
    """The part of a pipeline that follows the last pass of `stage`."""
    last = STAGES[check_stage(stage)]
    return tuple(pipeline[pipeline.index(last) + 1 :]) if last in pipeline else tuple(pipeline)
