"""The report as JUnit XML, which CI servers read."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterator

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite
from junitparser.junitparser import FinalResult

from launch.suites.case import CaseResult
from launch.suites.characters import for_xml
from launch.suites.outcomes import outcome
from launch.suites.report import SuiteReport

NAME = "emu validate"
KINDS: dict[int | None, type[FinalResult]] = {1: Failure, None: Skipped}  # all others are errors


def junit_xml(report: SuiteReport) -> bytes:
    """One test suite with a test case per case; valid XML whatever names and messages hold."""
    suite = TestSuite(NAME)
    suite.timestamp = report.began
    for name, value in _properties(report):
        suite.add_property(for_xml(name), for_xml(value))
    suite.add_testcases([_test_case(result) for result in report.results])
    root = JUnitXml(NAME)
    root.add_testsuite(suite)
    root.update_statistics()
    file = io.BytesIO()
    root.write(file)
    return file.getvalue()


def _properties(report: SuiteReport) -> Iterator[tuple[str, str]]:
    yield "command", shlex.join(("emu", *report.command))
    yield from (("suite." + key, value) for key, value in report.suite.items())
    yield from (("version." + key, value) for key, value in report.versions.items())
    yield from (("host." + key, str(value)) for key, value in report.host.items())


def _test_case(result: CaseResult) -> TestCase:
    case = TestCase(for_xml(result.case.name), f"emu.{result.case.command}", round(result.seconds, 3))
    if not result.passed:
        word = outcome(result.exit_code).word
        verdict = KINDS.get(result.exit_code, Error)(for_xml(result.reason), word)
        verdict.text = for_xml(f"{result.reason}\nrepeat: {result.case.command_line}")
        case.append(verdict)
    output = "\n".join(result.lines) if result.passed else result.output  # of what is right, the verdict is enough
    for stream, text in (("system_out", output), ("system_err", result.errors)):
        if text:
            setattr(case, stream, for_xml(text))
    return case
