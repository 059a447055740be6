"""What a report is about: an image with its programs, a run of it, its simulated time, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from emu.arch import Arch
from emu.arch.read import load_arch
from emu.census.nodes import NO_NODE
from emu.errors import option
from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from emu.image.reader import Image
from emu.noc.ports.port import FlowControl
from emu.program.program import Program
from emu.timing.basis.refused import TimingRefused
from launch.golden.fitting import check_model
from launch.images.mapping import owner as owning_node
from launch.report.sources.given_run import GivenRun, read_run
from launch.report.sources.real_time import RealTime, read_real_time
from launch.timing.timed_image import SAMPLES, TimedImage, read_programs, time_programs


@dataclass(frozen=True, eq=False)
class ReportSubject:
    """An image with its programs by core; `untimed` says why there is no simulated time, "" if there is.

    `names` are the nodes of the network in the order of the manifest, and why one runs nowhere ("": it may run).
    """

    out: Path
    image: Image
    programs: Mapping[int, Program]
    manifest_sha256: str
    names: Mapping[str, str]
    model: Path | None = None
    run: GivenRun | None = None
    trace: RealTime | None = None
    timed: TimedImage | None = None
    untimed: str = ""

    @property
    def arch(self) -> Arch:
        """What the programs were compiled for."""
        return self.image.arch

    @cached_property
    def sources(self) -> frozenset[str]:
        """The nodes that instructions are of, as the source map calls them."""
        return sources_of(self.programs)

    def owner(self, source: str) -> str:
        """The node of the network that a source of instructions belongs to."""
        return source if source == NO_NODE else owning_node(source, self.names)


def sources_of(programs: Mapping[int, Program]) -> frozenset[str]:
    """The nodes that instructions are of, as the source map calls them."""
    return frozenset(source.node for program in programs.values() for source in program.sources)


def read_subject(
    out: Path,
    run: Path | None = None,
    arch: str | None = None,
    model: Path | None = None,
    samples: int | None = None,
    trace: Path | None = None,
) -> ReportSubject:
    """Read and time everything; raises InputError for what was asked for and cannot be had."""
    image, programs = read_programs(out)
    sha256 = digest(out / MANIFEST_FILE).sha256
    if model is not None:
        check_model(model, image.manifest, str(out))
    given = read_run(run, sha256) if run is not None else None
    real = read_real_time(trace, programs, sources_of(programs)) if trace is not None else None
    timed, untimed = _timed(image, programs, arch, given.flow if given else FlowControl(), samples or SAMPLES)
    origins = image.manifest.tensors
    names = dict.fromkeys(origin.node for origin in origins) | {o.node: o.absent for o in reversed(origins)}
    return ReportSubject(out, image, programs, sha256, names, model, given, real, timed, untimed)


def _timed(
    image: Image, programs: Mapping[int, Program], arch: str | None, flow: FlowControl, samples: int
) -> tuple[TimedImage | None, str]:
    """The simulated time; None and why, if nobody asked for a chip and this one has no times."""
    if arch is not None:
        return time_programs(image, programs, load_arch(arch), flow, samples), ""
    if image.arch.timing is None:
        return None, (
            f"{image.arch.title} has no table [timing]: name a chip that has one, such as {option('arch', 'puma')}"
        )
    try:
        return time_programs(image, programs, image.arch, flow, samples), ""
    except TimingRefused as refused:
        return None, str(refused)
