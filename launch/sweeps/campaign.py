"""A sweep as a campaign: a case is a chip, for which a model is compiled, if it is one, and which is timed."""

from __future__ import annotations

import fcntl
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.write import arch_to_toml
from emu.errors import EmuError
from emu.output.scratch import ScratchFolder
from emu.output.temporary import remove
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.child import answer_of
from launch.campaigns.outcomes import IDLE, CaseOutcome
from launch.images.idle import kind_of_programs
from launch.sweeps.answer import sweep_answer
from launch.sweeps.points import Point, timed_point
from launch.sweeps.report import SweepReport
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import Changes, changes_text
from launch.text.answer import Answer

COMPILE = ("--golden", "none")
_NOT_TIMED = CaseOutcome("not timed", "not timed", IDLE)  # a chip that cannot be is a row of the table, and no failure


@dataclass(frozen=True, kw_only=True)
class SweepCampaign(Campaign):
    """Chips of a `sweep`, by name of the case; those that take the same programs share them.

    Programs are removed after the last one: `left` are numbers of cases that have not ended, by image.
    """

    sweep: Sweep
    chips: Mapping[str, _Chip]
    left: dict[str, int]

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """Whether there are figures."""
        return _NOT_TIMED if result.exit_code == 2 and not result.case.expect else super().outcome(result)

    def ended(self, result: CaseResult) -> None:
        """Remove programs that no other chip takes."""
        image = self.chips[result.case.name].image
        if image:
            self.left[image] -= 1
            if not self.left[image] and Path(image).exists():
                remove(Path(image))

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """The table of all chips in the order of their values."""
        results = sorted(report.results, key=lambda result: self.chips[result.case.name].place)
        points = [_point(result) for result in results]
        answer = sweep_answer(SweepReport(self.sweep, points))
        unlike = [f"FAIL  {r.case.name}: {r.reason}" for r in results if r.case.expect and not r.passed]
        code = report.stopped or answer.exit_code or super().exit_code(results)
        return replace(answer, parts=[*answer.parts, *unlike], exit_code=code)


@contextmanager
def sweep_campaign(sweep: Sweep, jobs: int) -> Iterator[SweepCampaign]:
    """The chips of a sweep, of which `jobs` run at a time; of all programs, as many kinds are kept at a time."""
    with ScratchFolder("sweep") as folder:
        chips = list(_chips(sweep, folder))
        if sweep.is_model:
            kinds: dict[str, list[_Chip]] = {}
            for chip in chips:
                kinds.setdefault(chip.image, []).append(chip)
            chips = [chip for wave in _parts(list(kinds.values()), jobs) for chip in _first_of_each_first(wave)]
        cases = [_case(sweep, chip) for chip in chips]
        yield SweepCampaign(
            name="sweep",
            cases=cases,
            announces=False,
            sweep=sweep,
            chips={case.name: chip for case, chip in zip(cases, chips, strict=True)},
            left=dict(Counter(chip.image for chip in chips)),
        )


@dataclass(frozen=True, slots=True)
class _Chip:
    """A point: its place in the sweep, its changes, the file that describes it, and the image that is made for it."""

    place: int
    changes: Changes
    file: Path | None
    image: str = ""  # a folder; empty: that of the sweep
    refused: str = ""


def _chips(sweep: Sweep, folder: Path) -> Iterator[_Chip]:
    names: dict[str, str] = {}
    for place, changes in enumerate(sweep.combinations):
        try:
            arch = derived(sweep.base, changes)
        except EmuError as error:
            yield _Chip(place, changes, None, refused=str(error))
            continue
        file = folder / f"{place}.toml"
        file.write_text(arch_to_toml(arch), "utf-8")
        yield _Chip(place, changes, file, _image(sweep, arch, folder, names))


def _image(sweep: Sweep, arch: Arch, folder: Path, names: dict[str, str]) -> str:
    """Where the programs for a chip are; chips that take the same ones share them. Empty if they are there already."""
    if not sweep.is_model:
        return ""
    return names.setdefault(kind_of_programs(arch, sweep.scheduled), str(folder / f"image-{len(names)}"))


def _first_of_each_first(kinds: Sequence[Sequence[_Chip]]) -> list[_Chip]:
    """So that models are compiled side by side."""
    return [same[0] for same in kinds] + [chip for same in kinds for chip in same[1:]]


def _parts(kinds: list[list[_Chip]], size: int) -> Iterator[list[list[_Chip]]]:
    for start in range(0, len(kinds), size):
        yield kinds[start : start + size]


def _case(sweep: Sweep, chip: _Chip) -> Case:
    given = {
        "subject": str(sweep.subject.absolute()),
        "chip": str(chip.file or ""),
        "image": chip.image,
        "timing": sweep.timing,
        "compiling": sweep.compiling,
        "refused": chip.refused,
    }
    facts = {"values": dict(chip.changes)}
    return Case(changes_text(chip.changes), "launch.sweeps.campaign:run_case", given, facts=facts)


def run_case(
    subject: str, chip: str, image: str, timing: Sequence[str], compiling: Sequence[str], refused: str
) -> Mapping[str, Any]:
    """What `emu time --json` says of a chip, whose file is `chip`; programs of a model are in `image`, or put there."""
    if refused:
        return {"error": refused, "exit_code": 2}
    found = _compiled(subject, chip, image, compiling) if image else {}
    if not found.get("exit_code"):
        found = answer_of(("time", image or subject, "--arch", chip, *timing))
    return {**found, "error": _reason(found["error"], chip, image or subject)} if "error" in found else found


def _reason(sentence: str, chip: str, image: str) -> str:
    """Why a command has failed; files of the sweep itself are named by what they are."""
    for written, meant in ((f"architecture {chip}", "the chip"), (chip, "CHIP"), (image, "the compiled model")):
        sentence = sentence.replace(written, meant)
    return sentence


def _compiled(subject: str, chip: str, image: str, compiling: Sequence[str]) -> dict[str, Any]:
    """Compile, unless another process has done so, or does: then wait for it; what it said."""
    said = Path(f"{image}.json")
    with Path(f"{image}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            return dict(json.loads(said.read_text("utf-8")))
        found = answer_of(("compile", subject, "-o", image, "--arch", chip, *COMPILE, *compiling))
        kept = {name: found[name] for name in ("error", "exit_code") if name in found}
        if "error" in kept:
            kept["error"] = _reason(kept["error"], chip, image)
        said.write_text(json.dumps(kept), "utf-8")
        return kept


def _point(result: CaseResult) -> Point:
    changes = result.case.facts["values"]
    return timed_point(changes, result.report) if "period_ps" in result.report else Point(changes, {}, result.reason)
