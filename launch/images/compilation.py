"""A compilation from a file to a report: the compiler, stored inputs and golden values, numbers for people."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emu.errors import InputError, option
from emu.image.reader import open_image, read_manifest
from emu.image.segments import core_images
from launch.golden.attach import AttachGolden
from launch.golden.fitting import check_model
from launch.images.checking import not_proved, refuse_refuted
from launch.images.compiled import Compiled
from launch.images.host_share import host_share
from launch.images.idle import Idle, idle_of
from launch.system.memory import rare_collections
from launch.text.progress import share_bar

if TYPE_CHECKING:
    from compiler.compiling import CompileResult
    from emu.arch import Arch
    from emu.check import Report
    from emu.image.manifest import Manifest
    from emu.image.writer import ImageWriter
    from launch.images.mapping import MappingReport


@dataclass(frozen=True, slots=True)
class CompileReport:
    """A finished compilation of a model, or its text; `golden` says who computed golden outputs, "" if nobody."""

    source: Path
    result: CompileResult
    golden: str
    seconds: float
    check: Report | None = None  # None: no programs were written, or nobody asked
    idle: Idle | None = None  # cores that the programs leave idle; None, too, if that is not known
    chips: dict[str, Any] | None = None  # what crosses between several chips; None of one

    @property
    def warnings(self) -> list[str]:
        """Warnings of the compiler and the checker, and remarks on the chip, which the directory does not keep."""
        return [*self.result.warnings, *self.result.arch.remarks, *not_proved(self.check)]

    def as_compiled(self) -> Compiled:
        """The report as plain values, which a cache can keep."""
        result = self.result
        return Compiled(
            source=self.source,
            out=result.out,
            arch=result.arch.name,
            cores=result.cores,
            crossbars=result.crossbars,
            utilisation=result.utilisation,
            instructions=result.instructions,
            golden=self.golden,
            seconds=self.seconds,
            steps=dict(result.seconds),
            warnings=tuple(self.warnings),
            unchanged=tuple(result.unchanged),
            check=self.check.to_dict() if self.check else None,
            host=host_share(result.segments).to_dict() if result.segments else None,
            idle=self.idle.to_dict() if self.idle else None,
            chips=self.chips,
        )

    def line(self) -> str:
        """The result of the compilation as one line."""
        return self.as_compiled().line()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for --json."""
        return self.as_compiled().to_dict()


@rare_collections()
def compile_image(
    model: Path | None,
    out: Path | None,
    *,
    arch: str | Arch = "default",
    start: Path | None = None,
    golden: str = "onnxruntime",
    seed: int = 0,
    samples: int = 1,
    quiet: bool = False,
    no_check: bool = False,
    **options: Any,
) -> CompileReport:
    """Compile `model` into the directory `out` with stored inputs and golden values, and check it; raises EmuErrors.

    With the text `start` the compiler goes on from there, and `model`, if any, only computes the golden values.
    `options` are those of `make_request`.
    """
    source = model or start
    if source is None:
        raise InputError(f"give a model, or the text of one by {option('start')}")
    if model is None and golden != "none":
        raise InputError(f"{option('golden', golden)} computes from the model: give it, too")
    from compiler.api import compile_request
    from compiler.request import make_request

    began = time.monotonic()
    request = make_request(model, arch, start=start, **options)
    hook = AttachGolden(source, golden, seed, samples)

    def finish(writer: ImageWriter, manifest: Manifest) -> Manifest:
        """Check that the model belongs to the text."""
        if start is not None and model is not None:
            check_model(model, manifest, str(start))
        return hook(writer, manifest)

    with share_bar(f"compiling {source.name}", quiet) as progress:
        result = compile_request(replace(request, progress=progress), out, finish)
    check = refuse_refuted(result.out) if result.out and not no_check else None
    idle = idle_of(read_manifest(result.out), result.arch, result.cores) if result.out else None
    chips = _between_chips(result.out) if result.out and result.arch.system.chips > 1 else None
    return CompileReport(source, result, hook.computed, time.monotonic() - began, check, idle, chips)


def _between_chips(out: Path) -> dict[str, Any] | None:
    """What crosses between the chips of an image; None of one in segments, each of which has them for itself."""
    from emu.census.census import census_of_image
    from launch.images.chips import chip_values

    image = open_image(out, verify=False)
    return None if image.manifest.segments else chip_values(census_of_image(image))


def module_text(report: CompileReport) -> str:
    """The last IR of a compilation as MLIR text."""
    from compiler.text import self_contained

    return self_contained(report.result.module, report.result.context)


def mapping_of(report: CompileReport) -> MappingReport:
    """Where the nodes of a compilation that wrote programs run."""
    from compiler.codegen.gathers import gathers
    from emu.census.census import census_of_image
    from launch.images.mapping import map_nodes, together_with_host

    result = report.result
    assert result.out is not None
    image, kinds = open_image(result.out), result.context.kinds
    warnings = [gather.warning() for gather in gathers(result.module)]
    parts = [map_nodes(part.manifest, census_of_image(part), kinds, warnings) for part in core_images(image)]
    return together_with_host(parts, image) if image.manifest.segments else parts[0]
