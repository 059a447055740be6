"""Annotations of GitHub Actions: one command per failed case, whatever its texts hold."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from suite_results import ANY_TEXT, SUITES, made_case, suite_report

from launch.campaigns.annotations import annotations, append_summary, escaped, step_summary
from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import CaseResult

UNESCAPED = {"%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ","}


def read_back(text: str) -> str:
    """As the runner reads it."""
    return re.sub("%(25|0D|0A|3A|2C)", lambda match: UNESCAPED[match[0]], text)


@given(ANY_TEXT, st.booleans())
@example("100 %\r\n%0A: a, b::c", True)
def test_escapes_are_read_back(text: str, as_property: bool) -> None:
    written = escaped(text, as_property)
    assert read_back(written) == text
    assert not re.search("[\r\n:,]" if as_property else "[\r\n]", written)


def test_an_annotation_names_the_line_of_the_suite_or_the_network() -> None:
    in_file, alone = made_case("a,b", line=7), made_case("net", "model", "nets/net.onnx", "--cores", "4")
    report = suite_report([CaseResult(in_file, 1, "50 % off"), CaseResult(alone, 6, "late"), CaseResult(alone, 0)], 1.0)
    assert list(annotations(report)) == [
        "::error file=suite.toml,line=7,title=emu validate a%2Cb::50 %25 off; repeat: emu validate net.onnx",
        "::error file=nets/net.onnx,title=emu validate net::late; repeat: emu validate nets/net.onnx --cores 4",
    ]


@given(SUITES)
def test_one_line_per_failed_case(report: CampaignReport) -> None:
    lines = list(annotations(report))
    assert len(lines) == len(report.failed)
    assert all(re.fullmatch(r"::error [^:]*::[^\r\n]*", line) and line.isprintable() for line in lines)


@given(SUITES)
def test_the_summary_is_one_table(report: CampaignReport) -> None:
    lines = step_summary(report).split("\n")
    rows = [line for line in lines if line.startswith("| ")]
    bars = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert len(rows) == 2 + len(report.results) and len(bars) == 1
    assert not any("<" in row for row in rows)


def test_summaries_follow_each_other(tmp_path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("# job\n")
    report = suite_report([CaseResult(made_case(), 0)], 1.0)
    for _ in range(2):
        append_summary(file, report)
    assert file.read_text() == "# job\n" + 2 * step_summary(report)
