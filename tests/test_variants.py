"""Of a test with `few` so many variants are ordinary tests, spread over all of them; the others are heavy."""

import pytest

TEXT = """
import pytest

@pytest.mark.few(2)
@pytest.mark.parametrize("number", [0, 1, pytest.param(9, marks=pytest.mark.full), 2, 3, 4])
def test_many(number):
    pass

@pytest.mark.few(3)
@pytest.mark.parametrize("number", [0, 1])
def test_fewer_than_that(number):
    pass

@pytest.mark.parametrize("number", [0, 1])
def test_others(number):
    pass
"""
CONFTEST = """
import pytest
import draws

@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    draws.mark_the_others(items)
"""


@pytest.mark.parametrize(
    ("marks", "many"), [("not full", [0, 2]), ("full", [1, 9, 3, 4]), ("full or not full", [0, 1, 9, 2, 3, 4])]
)
def test_the_others_are_heavy(pytester: pytest.Pytester, marks: str, many: list[int]) -> None:
    pytester.makeini("[pytest]\nmarkers =\n  full: heavy\n  few: some")
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_variants_of_it=TEXT)
    result = pytester.inline_run("-m", marks, "-p", "no:cacheprovider")
    ran = [report.nodeid.partition("::")[2] for report in result.getreports() if getattr(report, "when", "") == "call"]
    others = [f"test_{name}[{number}]" for name in ("fewer_than_that", "others") for number in (0, 1)]
    assert ran == [f"test_many[{number}]" for number in many] + ([] if marks == "full" else others)
