"""One run of the benchmark: rows, profiles and costs, cases of a campaign that measures this process, in one folder."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emu.output.folder import make_folder
from emu.output.scratch import ScratchFolder
from launch.bench.bounds import Bounds, bounds
from launch.bench.cost_tables import cost_tables, costs_block
from launch.bench.costs import Costs, measure_costs
from launch.bench.machine import machine, sentence
from launch.bench.measurement import RowOutcome
from launch.bench.profile import Profile, profile
from launch.bench.row import BenchRow
from launch.bench.tables import lines, notes, profile_block, rows_block, rows_table, tables
from launch.bench.workshop import BenchSettings, Workshop, check_network
from launch.campaigns.campaign import Campaign, CampaignReport
from launch.campaigns.case import Case, CaseResult
from launch.text.answer import Answer, Part
from launch.text.markdown_page import check_page, write_blocks

PROFILE_CORES = 64
ROWS_BLOCK, COSTS_BLOCK = "rows", "costs"


@dataclass(frozen=True, slots=True)
class BenchSession:
    """What was found, and where."""

    machine: Mapping[str, Any]
    outcomes: Sequence[RowOutcome]
    profiles: Mapping[str, Sequence[Profile]]
    bounds: Mapping[str, Bounds | None] = field(default_factory=dict)
    costs: Costs | None = None

    def parts(self) -> Iterator[Part]:
        """The text form."""
        yield sentence(dict(self.machine))
        if self.outcomes:
            yield rows_table(self.outcomes)
            yield from notes(self.outcomes)
        for network, profiles in self.profiles.items():
            yield f"profile of {network}"
            yield from lines(profiles)
            yield from tables(profiles, self.bounds.get(network))
        if self.costs is not None:
            yield from cost_tables(self.costs)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "machine": dict(self.machine),
            "rows": [outcome.to_dict() for outcome in self.outcomes],
            "profiles": {name: [p.to_dict() for p in parts] for name, parts in self.profiles.items()},
            "bounds": {name: found and found.to_dict() for name, found in self.bounds.items()},
            "costs": self.costs and self.costs.to_dict(),
        }

    def write(self, page: Path) -> None:
        """Put rows, profiles and costs between their markers in a Markdown page; raises InputError."""
        about = sentence(dict(self.machine))
        blocks = {ROWS_BLOCK: rows_block(self.outcomes, about)} if self.outcomes else {}
        blocks |= {
            _profile_block(name): profile_block(name, parts, self.bounds.get(name), about)
            for name, parts in self.profiles.items()
        }
        blocks |= {} if self.costs is None else {COSTS_BLOCK: costs_block(self.costs, about)}
        write_blocks(page, blocks)


def check_markers(page: Path, rows: Sequence[BenchRow], networks: Sequence[str], costs: bool) -> None:
    """Raise InputError unless `page` has a place for what `bench_campaign` will find."""
    check_page(page, [ROWS_BLOCK] * bool(rows) + [_profile_block(name) for name in networks] + [COSTS_BLOCK] * costs)


def _profile_block(network: str) -> str:
    return f"profile {network}"


@dataclass(frozen=True, kw_only=True)
class BenchCampaign(Campaign):
    """Rows and profiles as cases, which are measured in this process; told with its `machine`, and on a `page`."""

    machine: Mapping[str, Any]
    page: Path | None = None

    def exit_code(self, results: Sequence[CaseResult]) -> int:
        """1 if a row could not be measured, that of the error of a profile."""
        return max((result.exit_code or 0 for result in results), default=0)

    def answer(self, report: CampaignReport, quiet: bool) -> Answer:
        """What the command answers; the page is written if all is measured."""
        found = [result.report for result in report.results]
        session = BenchSession(
            self.machine,
            [answer["outcome"] for answer in found if "outcome" in answer],
            {answer["network"]: answer["profiles"] for answer in found if "profiles" in answer},
            {answer["network"]: answer["bounds"] for answer in found if "bounds" in answer},
            next((answer["costs"] for answer in found if "costs" in answer), None),
        )
        if self.page is not None and not report.not_run:
            session.write(self.page)
        failure = next((answer["error"] for answer in found if "error" in answer), "")
        values = session.to_dict() | ({"error": failure, "exit_code": report.exit_code} if failure else {})
        shown = session.parts() if session.outcomes or session.profiles or session.costs else ()
        return Answer(values, shown, failure=failure, exit_code=report.exit_code)


@contextmanager
def bench_campaign(
    rows: Sequence[BenchRow],
    networks: Sequence[str],
    settings: BenchSettings,
    folder: Path | None,
    page: Path | None = None,
    costs: bool = False,
) -> Generator[BenchCampaign]:
    """Measure `rows`, profile `networks`, measure `costs`; models and images stay in `folder` if one is given."""
    for network in networks:
        check_network(network)
    with _folder(folder) as place:
        work = Workshop(place, settings)
        cases = [Case(row.name, f"{__name__}:run_row", {"row": row, "work": work}) for row in rows]
        cases += [
            Case(f"profile {name}", f"{__name__}:run_profile", {"network": name, "work": work}) for name in networks
        ]
        cases += [Case("costs", f"{__name__}:run_costs", {"work": work})] * costs
        yield BenchCampaign(name="bench", cases=cases, machine=machine(), page=page)


def run_row(row: BenchRow, work: Workshop) -> dict[str, Any]:
    """Measure a row."""
    outcome = row.measure(work)
    return {"outcome": outcome, "reason": outcome.error, "exit_code": int(outcome.measurement is None)}


def run_profile(network: str, work: Workshop) -> dict[str, Any]:
    """Where the time of one image of a network goes, and what bounds it."""
    return {
        "network": network,
        "profiles": profile(work, network, PROFILE_CORES),
        "bounds": bounds(work.image(network, PROFILE_CORES), work.settings.pairs),
    }


def run_costs(work: Workshop) -> dict[str, Any]:
    """What one step costs at each boundary."""
    return {"costs": measure_costs(work)}


@contextmanager
def _folder(given: Path | None) -> Generator[Path]:
    if given is not None:
        make_folder(given)
        yield given.resolve()
        return
    with ScratchFolder("bench") as folder:
        yield folder
