"""The report as JUnit XML, which CI servers read."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from junitparser.junitparser import FinalResult

from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import CaseResult
from launch.campaigns.characters import for_xml
from launch.campaigns.outcomes import BROKEN, FAILED, IDLE, PASSED, CaseOutcome

KINDS: Mapping[str, type[FinalResult]] = {FAILED: Failure, IDLE: Skipped, BROKEN: Error}


def junit_xml(report: CampaignReport) -> bytes:
    """One test suite with a test case per case; valid XML whatever names and messages hold."""
    name = f"emu {report.campaign.name}"
    suite = TestSuite(name)
    suite.timestamp = report.began
    for key, value in _properties(report):
        suite.add_property(for_xml(key), for_xml(value))
    suite.add_testcases([_test_case(report.campaign.name, result, report.outcome(result)) for result in report.results])
    root = JUnitXml(name)
    root.add_testsuite(suite)
    root.update_statistics()
    file = io.BytesIO()
    root.write(file)
    return file.getvalue()


def _properties(report: CampaignReport) -> Iterator[tuple[str, str]]:
    yield "command", shlex.join(("emu", *report.command))
    for key, value in report.campaign.about.items():
        yield from ((f"{key}.{name}", str(each)) for name, each in _members(value))
    yield from (("version." + key, value) for key, value in report.versions.items())
    yield from (("host." + key, str(value)) for key, value in report.host.items())


def _members(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, Mapping) else []


def _test_case(campaign: str, result: CaseResult, outcome: CaseOutcome) -> TestCase:
    command = result.case.command or campaign
    case = TestCase(for_xml(result.case.name), f"emu.{command}", round(result.seconds, 3))
    right = outcome.kind == PASSED
    if not right:
        verdict = KINDS[outcome.kind](for_xml(result.reason), outcome.word)
        repeat = f"\nrepeat: {result.case.command_line}" if result.case.repeat else ""
        verdict.text = for_xml(f"{result.reason}{repeat}")
        case.append(verdict)
    output = "\n".join(result.lines) if right else result.output  # of a passed case, the verdict is enough
    for stream, text in (("system_out", output), ("system_err", result.errors)):
        if text:
            setattr(case, stream, for_xml(text))
    return case
