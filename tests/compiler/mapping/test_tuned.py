"""The table of tuned constants: all are measured, and what the page says of them is of this table."""

import re
from fractions import Fraction

import mapping_constants
import pytest
from mapping_constants import CHIPS, FACTORS, PAGE, constants, effects, other

from compiler.mapping import tuned

ROW = re.compile(r"^\| `([A-Z_]+)` \| (\S+) \| (half|twice): (\S+) \|", re.MULTILINE)


def test_the_page_has_rows_of_each_constant_with_its_value() -> None:
    def shown(value: int | tuple[int, int]) -> str:
        return "/".join(map(str, value)) if isinstance(value, tuple) else f"{value:,}"

    rows = [
        (name, shown(value), word, shown(other(name, by)))
        for name, value in constants().items()
        for word, by in FACTORS.items()
    ]
    assert ROW.findall(PAGE.read_text("utf-8")) == rows, "run `make mapping`"


@pytest.mark.parametrize(
    ("name", "half", "twice"),
    [("CORE_NS", 50_000, 200_000), ("WORK_SHARE", (1, 3), (1, 1)), ("LEAST_GAIN", (1, 40), (1, 10))],
)
def test_half_and_twice(name: str, half: object, twice: object) -> None:
    assert (other(name, Fraction(1, 2)), other(name, Fraction(2))) == (half, twice)


def test_a_constant_is_measured_where_it_is_read() -> None:
    before = constants()
    found = effects([("digits", {"pipelined": True})])
    assert constants() == before and type(tuned).__name__ == "module"
    assert all(len(effect.ratios) == len(CHIPS) for effect in found["LEAST_MESSAGE"].values())
    assert found["LEAST_MESSAGE"]["twice"].changed and not found["MOST_SEGMENTS"]["twice"].ratios
    assert "| `LEAST_MESSAGE` | 1,024 | half: 512 | 3 |" in mapping_constants.page(found)
