"""The passes that a request asks for: the default ones with those of its schedule, or its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.passes import PIPELINE, SCHEMES, name_of, parse_pipeline
from compiler.request import CompileRequest
from compiler.schedules.duplication import CHOICES
from compiler.schedules.following import COLUMNS
from compiler.schedules.options import TRAFFIC, YES, is_numbers
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
from emu.errors import InputError, option

DEFAULT = "channel"  # way to lower
NUMBERED: Mapping[str, Sequence[str]] = {"duplicate": tuple(CHOICES), "arrange": (TRAFFIC,)}  # words, or numbers


@dataclass(frozen=True, slots=True)
class Scheduled:
    """An option that adds a pass to the default ones: the `text` of the pass, and the pass that it stands before."""

    name: str
    before: str
    text: Callable[[CompileRequest], str]


def _duplicate(request: CompileRequest) -> str:
    copies = request.duplicate or ""
    how = f"copies={copies}" if is_numbers(copies) else f"for={copies}"
    along = f" along={COLUMNS}" if request.pipelined else ""
    return f"{DuplicatePass.name}{{{how}{along}}}"


def _arrange(request: CompileRequest) -> str:
    cores = request.arrange or ""
    return f"{ArrangePass.name}{{cores={cores}}}" if is_numbers(cores) else ArrangePass.name


SCHEDULED = (  # in the order in which passes of one place run
    Scheduled("duplicate", CutLayersPass.name, _duplicate),
    Scheduled("stagger", LowerSpatToPimPass.name, lambda request: StaggerPass.name),
    Scheduled("remap_rows", LowerSpatToPimPass.name, lambda request: RemapRowsPass.name),
    Scheduled("pipelined", LowerSpatToPimPass.name, lambda request: PipelinePass.name),
    Scheduled("segments", CutLayersPass.name, lambda request: SegmentPass.name),
    Scheduled("arrange", AllocateBuffersPass.name, _arrange),
)


def passes_of(request: CompileRequest) -> tuple[str, ...]:
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
                f"{text} changes the default passes, and {option('pipeline')} names others: name {name} there, before"
                f" {place}"
            )
    if SCHEMES[request.lowering] != PIPELINE:
        raise InputError(
            f"{option('lowering', request.lowering)} chooses the default passes, and {option('pipeline')} names others:"
            f" name {UnrollPixelsPass.name} there, before place"
        )
    return given


def refuse_past(request: CompileRequest, passed: Sequence[str], stage: str, settings: Mapping[str, str]) -> None:
    """Raise InputError for an option whose pass is among those that a text of `stage` is past.

    Those that the text was made with, by its `settings`, are done.
    """
    names = {name_of(entry) for entry in passed}
    asked = [(text, name_of(entry), row) for text, entry, row in _options(request)]
    if request.lowering != DEFAULT:
        asked.append((option("lowering", request.lowering), UnrollPixelsPass.name, "lowering"))
    if request.pipeline is not None:
        text = option("pipeline", request.pipeline)
        asked += [(text, name, "passes") for name in map(name_of, passed) if name not in PIPELINE]
    for text, name, listed in asked:
        if name in names and settings.get(listed) != _settings(request).get(listed):
            raise InputError(
                f"{text}: {request.start} is past the pass {name}, at stage {stage}: leave it out, or go on from a text"
                " before that pass"
            )


def _settings(request: CompileRequest) -> dict[str, str]:
    """What texts list of the options that have passes."""
    own = {} if request.pipeline is None else {"passes": request.pipeline}
    return {**own, **({"segments": YES} if request.options.segments else {}), **request.settings}


def _options(request: CompileRequest) -> Iterator[tuple[str, str, str]]:
    """The options of a schedule that are given: as text, the pass of each, and what settings call it."""
    for row in SCHEDULED:
        value = request.value(row.name)
        if value is not None and value is not False:
            yield option(row.name) if value is True else option(row.name, value), row.text(request), row.name


def _passes_of_schedule(request: CompileRequest) -> Iterator[tuple[str, str, str]]:
    """The options of a schedule that are given: as text, the pass of each, and the pass of the default before which."""
    places = {row.name: row.before for row in SCHEDULED}
    for text, entry, name in _options(request):
        yield text, entry, places[name]


def _scheduled(pipeline: Sequence[str], request: CompileRequest) -> tuple[str, ...]:
    """The default passes with those of the schedule that is asked for."""
    before: dict[str, list[str]] = defaultdict(list)
    for _, name, place in _passes_of_schedule(request):
        before[place].append(name)
    return tuple(step for name in pipeline for step in (*before.get(name, ()), name))
