"""JUnit XML of a suite: a parser accepts it and finds what happened."""

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from junitparser import Error, Failure, JUnitXml, Skipped
from suite_results import SUITES, made_case, suite_report

from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import CaseResult
from launch.campaigns.characters import for_xml
from launch.campaigns.junit import junit_xml


def test_what_a_server_shows() -> None:
    results = [
        CaseResult(made_case("right"), 0, "", 1.5, {"cores": 9, "lines": ["golden g:", "PASS y"]}, '{"cores": 9}'),
        CaseResult(made_case("wrong"), 1, "y differs", 2.0, {"lines": ["FAIL y"]}, '{"cores": 8}', "warning: hm\n"),
        CaseResult(made_case("late"), 6, "the deadline of 3 s has passed", 0.5),
        CaseResult(made_case("idle"), None, "not started"),
    ]
    text = junit_xml(suite_report(results, 4.0, command=["validate", "a.onnx"], versions={"emu": "1.0"}))
    (suite,) = JUnitXml.fromstring(text)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time) == (4, 1, 1, 1, 4.0)
    assert {(prop.name, prop.value) for prop in suite.properties()} == {
        ("command", "emu validate a.onnx"),
        ("version.emu", "1.0"),
    }
    right, wrong, late, idle = suite
    assert right.is_passed and right.time == 1.5 and right.system_out == "golden g:\nPASS y"
    assert wrong.system_out == '{"cores": 8}'
    assert right.classname == "emu.validate"
    (failure,) = wrong.result
    assert isinstance(failure, Failure) and (failure.message, failure.type) == ("y differs", "FAIL")
    assert failure.text == "y differs\nrepeat: emu validate net.onnx" and wrong.system_err == "warning: hm\n"
    assert isinstance(late.result[0], Error) and isinstance(idle.result[0], Skipped)


@given(SUITES)
def test_a_parser_accepts_whatever_it_holds(report: CampaignReport) -> None:
    text = junit_xml(report)
    ElementTree.fromstring(text)
    (suite,) = JUnitXml.fromstring(text)
    cases = list(suite)
    assert [case.name for case in cases] == [for_xml(result.case.name) for result in report.results]
    for case, result in zip(cases, report.results, strict=True):
        assert case.is_passed == result.passed
        assert case.is_failure == (result.exit_code == 1)
        assert case.is_skipped == (result.exit_code is None)
        assert (case.system_err or "") == for_xml(result.errors)
        assert not case.result or (case.result[0].message or "") == for_xml(result.reason)
