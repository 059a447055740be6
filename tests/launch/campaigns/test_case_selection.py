"""Which cases are meant: expressions, shards, those that failed last; and what is expected of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.errors import InputError
from launch.campaigns.case import CaseResult, command_case
from launch.campaigns.expression import matching
from launch.campaigns.options import CampaignOptions
from launch.campaigns.outcomes import EXPECTED, judged
from launch.campaigns.selecting import LastFailed, place_of, selected

NAMES = ("lenet", "lenet int8", "MLP (float16)", "vgg-int8", "ring")
CASES = [command_case(name, "validate", f"{name}.onnx") for name in NAMES]


def meant(**options: object) -> list[str]:
    failed = options.pop("failed", ())
    return [case.name for case in selected(CASES, CampaignOptions(**options), failed)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("lenet", [0, 1]),
        ("LeNet", [0, 1]),
        ("mlp", [2]),
        ("not int8", [0, 2, 4]),
        ("lenet and not int8", [0]),
        ("ring or lenet and int8", [1, 4]),
        ("(ring or lenet) and int8", [1]),
        ("not (int8 or ring)", [0, 2]),
        ("not not int8", [1, 3]),
        ('"lenet int8" or "(float"', [1, 2]),
        ('"and" or "not"', []),
        ("-int8", [3]),
    ],
)
def test_an_expression_means_names(text: str, places: list[int]) -> None:
    matches = matching(text)
    assert [place for place, name in enumerate(NAMES) if matches(name)] == places


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it ends where a part of a name must be"),
        ("lenet and", "it ends where a part of a name must be"),
        ("or lenet", "'or' stands where a part of a name must be"),
        ("()", "')' stands where a part of a name must be"),
        ("(lenet", "a ( is not closed"),
        ("lenet)", "')' needs `and` or `or` before it"),
        ("lenet int8", "'int8' needs `and` or `or` before it"),
        ('"lenet', 'a " is not closed'),
        ("(" * 5000, "too much of it is in parentheses"),
    ],
)
def test_what_is_no_expression_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        matching(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)


trees = st.recursive(
    st.sampled_from(("a", "b", "c")),
    lambda inner: st.tuples(st.just("not"), inner) | st.tuples(inner, st.sampled_from(("and", "or")), inner),
    max_leaves=12,
)


def written(tree: object) -> str:
    """With parentheses around everything: what Python makes of it does not depend on how words bind."""
    return tree if isinstance(tree, str) else f"({' '.join(map(written, tree))})"


@settings(max_examples=examples(100, 1000))
@given(trees, st.sets(st.sampled_from("abc")))
def test_it_is_what_python_makes_of_it(tree: object, letters: set[str]) -> None:
    text = written(tree)
    assert matching(text)("".join(sorted(letters))) is eval(text, {letter: letter in letters for letter in "abc"})


@given(st.text('ab ()"andort', max_size=12))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        assert matching(text)("a and b") in (True, False)
    except InputError as error:
        assert "\n" not in str(error)


@given(st.integers(1, 9))
def test_shards_have_every_case_once(parts: int) -> None:
    shards = [meant(shard=f"{part}/{parts}") for part in range(1, parts + 1)]
    assert sorted(name for shard in shards for name in shard) == sorted(NAMES)
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


def test_selections_act_one_after_the_other() -> None:
    assert meant(select="int8", shard="2/2") == ["vgg-int8"]
    assert meant(last_failed=True, failed=["ring", "gone", "lenet"]) == ["lenet", "ring"]
    assert meant(last_failed=True, failed=["gone"]) == list(NAMES)
    assert meant(last_failed=True, failed=["ring", "lenet"], shard="2/2") == ["ring"]
    with pytest.raises(InputError, match="none of 5 cases matches \\(lenet, lenet int8, MLP"):
        meant(select="resnet")
    with pytest.raises(InputError, match="there are 2 parts, so the last one is 2/2"):
        meant(shard="3/2")


def test_what_failed_last_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    memory = LastFailed(place_of("validate", "suite.toml"))
    memory.learn(["a"], [])
    assert not (tmp_path / "state").exists()  # nothing to know
    memory.learn(["a"], ["b", "c"])
    assert LastFailed(place_of("validate", "suite.toml")).names() == ["b", "c"]
    assert LastFailed(place_of("validate", "other.toml")).names() == []
    memory.learn(["b"], ["d"])  # c has not run
    assert memory.names() == ["c", "d"]
    (file,) = (tmp_path / "state").rglob("*.json")
    for damage in ("", "[]", '{"failed": 3}', "\xff"):
        file.write_text(damage, "latin-1")
        assert memory.names() == []
    memory.learn([], ["e"])
    memory.learn(["e"], [])
    assert not file.exists()
    file.parent.rmdir()
    file.parent.touch()
    memory.learn([], ["e"])  # cannot be written: nothing is known, and nothing is said
    assert memory.names() == []

    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", no_home)
    homeless = LastFailed("anything")
    homeless.learn([], ["e"])
    assert homeless.names() == []


@pytest.mark.parametrize("expect", EXPECTED)
@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, 5, 6, 70])
def test_what_is_expected_is_right_and_all_else_wrong(expect: str, code: int) -> None:
    case = command_case("a", "validate", "a.onnx", expect=expect)
    found = judged(CaseResult(case, code, "because" if code else ""))
    assert found.exit_code == (0 if EXPECTED[expect] == code else 1)
    assert (found.reason == "") == (expect == "right" and code == 0)
    assert found.reason.endswith("because") == bool(code)
    idle = CaseResult(case, None, "not started")
    assert judged(idle) == idle
