"""A sweep as a campaign: a case is a point, for which a model is compiled, if it is one, timed and priced."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from emu.errors import option
from emu.output.scratch import ScratchFolder
from emu.output.temporary import remove
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.campaigns.outcomes import IDLE, CaseOutcome
from launch.sweeps.answer import sweep_answer
from launch.sweeps.answers_file import AnswersFile
from launch.sweeps.plan import PlannedPoint, in_turn, plan
from launch.sweeps.point_case import FUNCTION
from launch.sweeps.points import answered_point
from launch.sweeps.report import SweepReport
from launch.sweeps.sweep import Sweep
from launch.sweeps.variations import changes_text
from launch.text.answer import Answer
from launch.timing.priced import priced_chip

_NOT_TIMED = CaseOutcome("not timed", "not timed", IDLE)  # a chip that cannot be is a row of the table, and no failure


@dataclass(frozen=True, kw_only=True)
class SweepCampaign(Campaign):
    """Points of a `sweep`, by name of the case; those that take the same programs share them.

    Programs are removed after the last one: `left` are numbers of cases that have not ended, by image. What cases
    answer goes into `answers`, if there is such a file.
    """

    sweep: Sweep
    planned: Mapping[str, PlannedPoint]
    left: dict[str, int]
    answers: AnswersFile | None = None

    def outcome(self, result: CaseResult) -> CaseOutcome:
        """Whether there are figures."""
        return _NOT_TIMED if result.exit_code == 2 and not result.case.expect else super().outcome(result)

    def ended(self, result: CaseResult) -> None:
        """Keep the answer, and remove programs that no other point takes."""
        point = self.planned[result.case.name]
        if self.answers is not None and result.case.known is None and "figures" in result.report:
            assert point.made is not None
            self.answers.keep(point.made, point.changes, result.report)
        if point.image:
            self.left[point.image] -= 1
            if not self.left[point.image] and Path(point.image).exists():
                remove(Path(point.image))

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """The table of all points in the order of their values."""
        results = sorted(report.results, key=lambda result: self.planned[result.case.name].place)
        points = [answered_point(**self._answered(result)) for result in results]
        answer = sweep_answer(SweepReport(self.sweep, points))
        unlike = [f"FAIL  {r.case.name}: {r.reason}" for r in results if r.case.expect and not r.passed]
        code = report.stopped or answer.exit_code or super().exit_code(results)
        parts = [*answer.parts, *unlike, *(self._how_to_go_on() if report.stopped else ())]
        return replace(answer, parts=parts, exit_code=code)

    def _answered(self, result: CaseResult) -> dict[str, Any]:
        point = self.planned[result.case.name]
        found = result.report if "figures" in result.report else {"error": result.reason}
        return {"changes": point.changes, "answer": found, "remarks": point.made.arch.remarks if point.made else ()}

    def _how_to_go_on(self) -> list[str]:
        """What is left of an interrupted sweep."""
        if self.answers is None:
            return [f"with {option('resume', 'FILE')} an interrupted sweep can go on where it ended"]
        return [f"{self.answers.path} has the figures of all points that ended: the same command goes on from there"]


@contextmanager
def sweep_campaign(sweep: Sweep, jobs: int, resume: Path | None = None) -> Generator[SweepCampaign]:
    """The points of a sweep, of which `jobs` run at a time; of all programs, as many kinds are kept at a time."""
    with ExitStack() as stack:
        folder = stack.enter_context(ScratchFolder("sweep"))
        points = plan(sweep, folder)
        answers = stack.enter_context(AnswersFile(resume, sweep)) if resume is not None else None
        points = in_turn(points, jobs)
        cases = [_case(sweep, point, answers) for point in points]
        yield SweepCampaign(
            name="sweep",
            cases=cases,
            announces=False,
            sweep=sweep,
            planned={case.name: point for case, point in zip(cases, points, strict=True)},
            left=dict(Counter(point.image for point in points)),
            answers=answers,
        )


def _case(sweep: Sweep, point: PlannedPoint, answers: AnswersFile | None) -> Case:
    """The case of a point: not run if its answer is known, because it is refused, on file, or a matter of sums."""
    name, facts = changes_text(point.changes), {"values": dict(point.changes)}
    if point.made is None:
        return Case(name, FUNCTION, facts=facts, known={"error": point.refused, "exit_code": 2})
    if sweep.subject is None:
        return Case(name, FUNCTION, facts=facts, known=priced_chip(point.made.arch))
    given = {
        "subject": str(sweep.subject.absolute()),
        "chip": json.dumps(point.made.arch.to_dict()),
        "image": point.image,
        "times": point.times,
        "compiling": list(point.made.compiling),
        "samples": point.made.samples,
        "flow": point.made.flow,
    }
    if sweep.data is not None:
        given |= {"data": sweep.data.to_dict(), "answers": point.answers, "ideal": point.ideal}
    return Case(name, FUNCTION, given, facts=facts, known=answers.known(point.made) if answers else None)
