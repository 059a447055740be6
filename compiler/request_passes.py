"""The passes that a request asks for: the default ones with those of its schedule, or its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from compiler.basis.chips import AUTO_CHIPS
from compiler.basis.entries import name_of
from compiler.basis.options import CompileOptions
from compiler.mapping.schedules.following import COLUMNS
from compiler.passes import PIPELINE, SCHEMES, parse_pipeline
from compiler.request import CompileRequest
from compiler.settings import settings_of
from compiler.transforms.allocate_buffers import AllocateBuffersPass
from compiler.transforms.arrange import ArrangePass
from compiler.transforms.choose_chips import ChooseChipsPass
from compiler.transforms.cut_layers import CutLayersPass
from compiler.transforms.duplicate import DuplicatePass
from compiler.transforms.lower_spat_to_pim import LowerSpatToPimPass
from compiler.transforms.pipeline import PipelinePass
from compiler.transforms.remap_rows import RemapRowsPass
from compiler.transforms.segment import SegmentPass
from compiler.transforms.stagger import StaggerPass
from compiler.transforms.unroll_pixels import UnrollPixelsPass
from compiler.transforms.write_products import WriteProductsPass
from emu.errors import InputError, option
from emu.options import default_of, is_numbers


@dataclass(frozen=True, slots=True)
class Scheduled:
    """An option that adds a pass to the default ones: the `text` of the pass, and the pass that it stands before.

    An empty text: this value adds none.
    """

    name: str
    before: str
    text: Callable[[CompileOptions], str]


def _duplicate(options: CompileOptions) -> str:
    copies = options.duplicate or ""
    how = f"copies={copies}" if is_numbers(copies) else f"for={copies}"
    along = f" along={COLUMNS}" if options.pipelined else ""
    return f"{DuplicatePass.name}{{{how}{along}}}"


def _arrange(options: CompileOptions) -> str:
    how = options.arrange or ""
    return f"{ArrangePass.name}{{{'cores' if is_numbers(how) else 'by'}={how}}}"


SCHEDULED = (  # in the order in which passes of one place run
    Scheduled("chips", CutLayersPass.name, lambda options: ChooseChipsPass.name if options.chips == AUTO_CHIPS else ""),
    Scheduled("duplicate", CutLayersPass.name, _duplicate),
    Scheduled("stagger", LowerSpatToPimPass.name, lambda options: StaggerPass.name),
    Scheduled("products", LowerSpatToPimPass.name, lambda options: WriteProductsPass.name),
    Scheduled("remap_rows", LowerSpatToPimPass.name, lambda options: RemapRowsPass.name),
    Scheduled("pipelined", LowerSpatToPimPass.name, lambda options: PipelinePass.name),
    Scheduled("segments", CutLayersPass.name, lambda options: SegmentPass.name),
    Scheduled("arrange", AllocateBuffersPass.name, _arrange),
)


def passes_of(request: CompileRequest) -> tuple[str, ...]:
    """The passes that are asked for; raises InputError."""
    lowering = request.options.lowering
    if request.pipeline is None:
        return _scheduled(SCHEMES[lowering], request)
    given = parse_pipeline(request.pipeline)
    for text, name, place in _passes_of_schedule(request):
        if name_of(name) not in map(name_of, given):
            raise InputError(
                f"{text} changes the default passes, and {option('pipeline')} names others: name {name} there, before"
                f" {place}"
            )
    if SCHEMES[lowering] != PIPELINE:
        raise InputError(
            f"{option('lowering', lowering)} chooses the default passes, and {option('pipeline')} names others:"
            f" name {UnrollPixelsPass.name} there, before place"
        )
    return given


def refuse_past(request: CompileRequest, passed: Sequence[str], stage: str, settings: Mapping[str, str]) -> None:
    """Raise InputError for an option whose pass is among those that a text of `stage` is past.

    Those that the text was made with, by its `settings`, are done.
    """
    names = {name_of(entry) for entry in passed}
    asked, own = [(text, name_of(entry), row) for text, entry, row in _options(request)], settings_of(request)
    if SCHEMES[request.options.lowering] != PIPELINE:
        asked.append((option("lowering", request.options.lowering), UnrollPixelsPass.name, "lowering"))
    if request.pipeline is not None:
        text = option("pipeline", request.pipeline)
        asked += [(text, name, "passes") for name in map(name_of, passed) if name not in PIPELINE]
    for text, name, listed in asked:
        if name in names and settings.get(listed) != own.get(listed):
            raise InputError(
                f"{text}: {request.start} is past the pass {name}, at stage {stage}: leave it out, or go on from a text"
                " before that pass"
            )


def _options(request: CompileRequest) -> Iterator[tuple[str, str, str]]:
    """The options of a schedule that are given: as text, the pass of each, and what settings call it."""
    for row in SCHEDULED:
        value = getattr(request.options, row.name)
        if value != default_of(CompileOptions, row.name) and (text := row.text(request.options)):
            yield option(row.name) if value is True else option(row.name, value), text, row.name


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
