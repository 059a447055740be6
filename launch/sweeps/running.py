"""Runs a sweep: every chip is timed, and a model compiled for it first, by commands `emu` that run side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from compiler.basis.options import SCHEDULE, CompileOptions
from emu.arch import Arch
from emu.arch_toml import arch_to_toml
from emu.errors import EmuError
from emu.options import specs
from emu.output.scratch import ScratchFolder
from emu.output.temporary import remove
from launch.campaigns.case import Case, CaseResult, command_case
from launch.campaigns.running import CampaignRun
from launch.campaigns.starting import Warm
from launch.images.program_kind import kind_of_programs
from launch.sweeps.points import Point, timed_point
from launch.sweeps.variations import Changes, changed_chip


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """A compiled directory or, if `is_model`, an ONNX file, on chips like `base`; at most `jobs` processes at a time.

    `timing` and `compiling` are options of `emu time` and `emu compile`.
    """

    subject: Path
    is_model: bool
    base: Arch
    combinations: Sequence[Changes]
    timing: tuple[str, ...] = ()
    compiling: tuple[str, ...] = ()
    jobs: int = 1

    @property
    def scheduled(self) -> bool:
        """Whether programs are made by a schedule, which goes by the chip's figures."""
        return any(specs(CompileOptions)[name].spelled(name) in self.compiling for name in SCHEDULE)


@dataclass(frozen=True, slots=True)
class _Chip:
    """A point that is to be timed: its place in the sweep, its changes, and the file that describes it."""

    place: int
    changes: Changes
    arch: Arch
    file: Path


def run_sweep(sweep: Sweep, advance: Callable[[], None] = lambda: None) -> list[Point]:
    """A point for each combination, in their order; `advance` is called as each is known. Raises InputError."""
    found: dict[int, Point] = {}

    def know(place: int, point: Point) -> None:
        found[place] = point
        advance()

    with ScratchFolder("sweep") as folder:
        chips: list[_Chip] = []
        for place, changes in enumerate(sweep.combinations):
            try:
                arch = changed_chip(sweep.base, changes)
            except EmuError as error:
                know(place, Point(changes, {}, str(error)))
                continue
            file = folder / f"{place}.toml"
            file.write_text(arch_to_toml(arch), "utf-8")
            chips.append(_Chip(place, changes, arch, file))
        if sweep.is_model:
            _compile_and_time(sweep, chips, folder, know)
        else:
            _time(sweep, [(chip, sweep.subject) for chip in chips], know)
    return [found[place] for place in range(len(sweep.combinations))]


def _compile_and_time(sweep: Sweep, chips: Sequence[_Chip], folder: Path, know: Callable[[int, Point], None]) -> None:
    """Chips that take the same programs share them; of all programs only those of `jobs` kinds are kept at a time."""
    kinds: dict[str, list[_Chip]] = {}
    for chip in chips:
        kinds.setdefault(kind_of_programs(chip.arch, sweep.scheduled), []).append(chip)
    for wave in _parts(list(kinds.values()), sweep.jobs):
        images = [folder / f"image-{same[0].place}" for same in wave]
        cases = [
            _case("compile", sweep.subject, "-o", str(image), "--arch", str(same[0].file), *COMPILE, *sweep.compiling)
            for same, image in zip(wave, images, strict=True)
        ]
        ready: list[tuple[_Chip, Path]] = []
        for same, image, result in zip(wave, images, _run(cases, sweep.jobs), strict=True):
            for chip in same:
                if result.passed:
                    ready.append((chip, image))
                else:
                    know(chip.place, Point(chip.changes, {}, _reason(result, same[0], image)))
        _time(sweep, ready, know)
        for image in images:
            remove(image)


COMPILE = ("--golden", "none")
NEEDED = ("launch.cli.time", "launch.timing.image")


def _time(sweep: Sweep, ready: Sequence[tuple[_Chip, Path]], know: Callable[[int, Point], None]) -> None:
    """Time each image on its chip."""
    cases = {_case("time", image, "--arch", str(chip.file), *sweep.timing): (chip, image) for chip, image in ready}

    def done(result: CaseResult) -> None:
        chip, image = cases[result.case]
        if result.passed:
            know(chip.place, timed_point(chip.changes, result.report))
        else:
            know(chip.place, Point(chip.changes, {}, _reason(result, chip, image)))

    _run(list(cases), sweep.jobs, done)


def _run(
    cases: Sequence[Case], jobs: int, done: Callable[[CaseResult], None] = lambda result: None
) -> list[CaseResult]:
    with CampaignRun(cases, done, jobs=jobs, place=Warm(NEEDED)) as run:
        return run.run()


def _case(command: str, subject: Path, *options: str) -> Case:
    """A command line of `emu`; a path of its own cannot be taken for an option."""
    return command_case(command, command, str(subject.absolute()), *options)


def _reason(result: CaseResult, chip: _Chip, image: Path) -> str:
    """Why a command has failed; files of the sweep itself are named by what they are."""
    names = ((f"architecture {chip.file}", "the chip"), (str(chip.file), "CHIP"), (str(image), "the compiled model"))
    reason = result.reason
    for written, meant in names:
        reason = reason.replace(written, meant)
    return reason


def _parts(kinds: list[list[_Chip]], size: int) -> Iterator[list[list[_Chip]]]:
    for start in range(0, len(kinds), size):
        yield kinds[start : start + size]
