"""Results of suites that hold anything: for tests of how they are told."""

from dataclasses import replace

from hypothesis import strategies as st

from launch.campaigns.campaign import CampaignReport
from launch.campaigns.case import Case, CaseOrigin, CaseResult
from launch.suites.campaign import suite_campaign
from launch.suites.commands import MODEL, PATTERN, suite_case

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
WORD = st.text(st.characters(exclude_categories=(), exclude_characters="\0"), max_size=20)


def made_case(name: str = "net", kind: str = MODEL, target: str = "net.onnx", *options: str, line: int = 0) -> Case:
    """A case; with a line, of a suite file."""
    origin = CaseOrigin("suite.toml", lambda key: line) if line else CaseOrigin()
    return suite_case(name, kind, target, "validate" if kind == MODEL else "stress", options, origin)


def suite_report(
    results: list[CaseResult], seconds: float, suite: dict[str, str] | None = None, **more
) -> CampaignReport:
    """The report of a suite with these results; `suite` is what it says of its file."""
    campaign = suite_campaign([result.case for result in results])
    return CampaignReport(replace(campaign, about={"suite": suite or None}), results, seconds, **more)


def verdict(relative: float | str, tolerance: float, passed: bool = True) -> dict[str, object]:
    """One tensor of a report's verdict, as far as tables look at it."""
    return {"relative": relative, "tolerance": tolerance, "passed": passed}


CASES = st.builds(made_case, WORD, st.sampled_from((MODEL, PATTERN)), WORD, WORD, line=st.integers(0, 9))
REPORTS = st.fixed_dictionaries(
    {},
    optional={
        "cores": st.integers(1, 1024),
        "samples": st.integers(1, 9),
        "accuracy": st.none() | st.fixed_dictionaries({"right": st.integers(0, 9), "of": st.just(9)}),
        "verdict": st.none()
        | st.fixed_dictionaries(
            {
                "tensors": st.lists(
                    st.builds(verdict, st.floats(0, 1) | st.sampled_from(("nan", "inf")), st.floats(0, 1))
                )
            }
        ),
    },
)
CODES = st.sampled_from((0, 1, 2, 3, 4, 5, 6, 70, 99, None))
RESULTS = st.builds(CaseResult, CASES, CODES, ANY_TEXT, st.floats(0, 1000), REPORTS, ANY_TEXT, ANY_TEXT)
SUITES = st.builds(
    suite_report,
    st.lists(RESULTS, max_size=5),
    st.floats(0, 1000),
    stopped=st.sampled_from((0, 0, 130, 143)),
    command=st.lists(WORD, max_size=3),
    suite=st.dictionaries(st.sampled_from(("path", "sha256")), WORD),
    host=st.dictionaries(st.sampled_from(("system", "cpus")), WORD | st.integers()),
)
