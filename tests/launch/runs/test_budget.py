"""Budgets: what exceeds them, and what is no budget or no baseline."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.runs.budget import OPTIONS, Bound, Budget, make_budget, parse_bound
from launch.runs.measures import MEASURES

COUNTED = [measure.option for measure in MEASURES.values() if not measure.ratio_only]
numbers = st.integers(0, 10**9)


@given(st.sampled_from(sorted(MEASURES)), numbers, numbers)
def test_more_than_a_number_exceeds_it(name: str, value: int, most: int) -> None:
    sentences = Budget({name: Bound(most, False)}).exceeded(dict.fromkeys(MEASURES, value))
    assert bool(sentences) == (value > most)
    assert all(str(value) in sentence and MEASURES[name].option in sentence for sentence in sentences)


@given(st.sampled_from(sorted(MEASURES)), numbers, numbers, st.floats(0.01, 100))
def test_more_than_a_ratio_to_the_baseline_exceeds_it(name: str, value: int, before: int, ratio: float) -> None:
    budget = Budget({name: Bound(ratio, True)}, {name: before})
    assert bool(budget.exceeded(dict.fromkeys(MEASURES, value))) == (value > ratio * before)


@given(st.sampled_from(COUNTED), numbers)
def test_forms(name: str, number: int) -> None:
    assert parse_bound(name, number) == parse_bound(name, str(number)) == Bound(number, False)
    if number:
        assert parse_bound(name, f"{number}x") == Bound(number, True)
        assert parse_bound("max_latency_ratio", number) == parse_bound("max_latency_ratio", f"{number}x")
    assert str(parse_bound(name, str(number))) == str(number)


@pytest.mark.parametrize("name", sorted(OPTIONS))
@pytest.mark.parametrize("text", ["", "x", "-1", "1e3", "0x", "nan", "inf", "1.1 x", "²", "9" * 40, True, None, [1]])
def test_what_is_no_bound(name: str, text: object) -> None:
    with pytest.raises(InputError, match=f"{name} .*is no bound of"):
        parse_bound(name, text)


def report(**measures: object) -> dict[str, object]:
    return {"measures": {"cores": 3, "bytes": 100, **measures}}


@pytest.mark.parametrize("content", [report(), {"cases": [{"name": "b"}, {"name": "a", "report": report()}]}])
def test_a_baseline_is_a_report_or_a_suite_of_them(tmp_path: Path, content: object) -> None:
    (tmp_path / "b.json").write_text(json.dumps(content))
    budget = make_budget({"max_bytes": "1.5x", "max_cores": 2, "max_messages": None}, tmp_path / "b.json", "a")
    assert budget.baseline == {"bytes": 100}
    assert len(budget.exceeded({"bytes": 150, "cores": 2})) == 0
    assert len(budget.exceeded({"bytes": 151, "cores": 3})) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "has no measures of 'a'"),
        ('{"measures": 3}', "has no measures"),
        ('{"cases": [{"name": "A1"}, 3]}', "has no case 'a'; did you mean 'A1'"),
        ('{"cases": [{"name": "a"}]}', "has no measures of 'a'"),
        (json.dumps(report(bytes="many")), "measures.bytes is 'many', no number"),
        (json.dumps(report(bytes=-1)), "measures.bytes is -1, no number"),
        ('{"measures": {"bytes": NaN}}', "measures.bytes is nan, no number"),
    ],
)
def test_what_is_no_baseline(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "b.json").write_text(content)
    with pytest.raises(InputError, match=words) as caught:
        make_budget({"max_bytes": "1x"}, tmp_path / "b.json", "a")
    assert "b.json" in str(caught.value)


def test_ratios_and_baselines_need_each_other(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="max_bytes is a ratio to an earlier run"):
        make_budget({"max_bytes": "1x"}, None, "a")
    with pytest.raises(InputError, match="bounds nothing"):
        make_budget({"max_bytes": 3}, tmp_path / "b.json", "a")
    with pytest.raises(InputError, match="does not exist"):
        make_budget({"max_bytes": "1x"}, tmp_path / "b.json", "a")
