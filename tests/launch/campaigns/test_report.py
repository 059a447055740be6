"""The report of a suite: exit code, table, lines, JSON."""

import json

from hypothesis import given
from suite_results import SUITES, made_case, suite_report, verdict

from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import CaseResult
from launch.suites.campaign import COLUMNS
from launch.suites.commands import PATTERN

RIGHT = CaseResult(made_case("lenet"), 0, "", 1.25, {"cores": 9, "samples": 2, "verdict": {"tensors": []}})
TENSORS = [verdict(1e-6, 1e-4), verdict("nan", 1e-2, False), verdict(0.5, 1e-4, False)]
WRONG = CaseResult(
    made_case("vgg", "model", "nets/my vgg.onnx", "--cores", "4"), 1, "output differs", 2.0, {"cores": 4}
)
LOST = CaseResult(made_case("ring", PATTERN, "ring"), 5, "core 2 died", 0.5)
IDLE = CaseResult(made_case("idle"), None, "not started")


def test_the_highest_exit_code_counts() -> None:
    for results, code in (([RIGHT], 0), ([RIGHT, WRONG, IDLE], 1), ([LOST, WRONG], 5), ([], 0)):
        assert suite_report(results, 1.0).exit_code == code
    assert suite_report([LOST, IDLE], 1.0, stopped=130).exit_code == 130


def test_lines_tell_why_and_how_to_repeat() -> None:
    assert suite_report([RIGHT, WRONG, LOST, IDLE], 31.24).lines() == [
        "FAIL  vgg: output differs",
        "  emu validate 'nets/my vgg.onnx' --cores 4",
        "lost  ring: core 2 died",
        "  emu stress ring",
        "not run  idle: not started",
        "  emu validate net.onnx",
        "1 of 4 cases right (1 wrong, 1 lost, 1 not run) in 31.2 s",
    ]
    assert suite_report([RIGHT], 1.0).lines() == ["1 of 1 case right in 1.0 s"]


def test_the_table_has_the_columns_that_any_case_fills() -> None:
    table = suite_report([RIGHT, LOST], 1.0).table()
    assert table.columns == ["case", "result", "cores", "samples", "seconds"] and table.right == "llrrr"
    assert table.rows == [["lenet", "PASS", "9", "2", "1.2"], ["ring", "lost", "-", "-", "0.5"]]


def test_the_table_shows_the_output_that_is_furthest_off_and_the_accuracy() -> None:
    told = {"verdict": {"tensors": TENSORS[::2]}, "accuracy": {"right": 3, "of": 4}}
    table = suite_report([CaseResult(made_case(), 1, "x", 1.0, told)], 1.0).table()
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "case": "net",
        "result": "FAIL",
        "relative": "0.5",
        "limit": "0.0001",
        "accuracy": "3/4",
        "seconds": "1.0",
    }


@given(SUITES)
def test_whatever_it_holds_it_can_be_told(report: CampaignReport) -> None:
    table = report.table()
    assert len(table.columns) == len(table.right)
    assert set(table.columns) <= {"case", "result", *COLUMNS, "seconds"} and set(table.right) <= set("lr")
    assert all(len(row) == len(table.columns) and all(str(cell).isprintable() for cell in row) for row in table.rows)
    lines = report.lines()
    assert all(line.isprintable() and line.encode() for line in lines)
    assert len(lines) == 1 + 2 * sum(not result.passed for result in report.results)
    told = json.loads(json.dumps(report.campaign.values(report), allow_nan=False))
    assert told["passed"] + told["failed"] + told["not_run"] == len(told["cases"]) == len(report.results)
    assert (told["exit_code"] == 0) == (not report.stopped and not told["failed"])
