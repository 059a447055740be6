"""The file of a run: what is taken, and what is refused in one sentence."""

import json
from pathlib import Path

import pytest
from commands import Emu
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import InputError
from launch.bisect.finding import BisectResult, Site
from launch.report.report import Values
from launch.report.sources.given_run import GivenRun, read_run
from launch.report.sources.verdict import errors_by_node, real_values, verdict_values
from launch.report.text import lines, tables

SHA = "ab" * 32


def run_values(**changes: object) -> dict:
    tensor = {"name": "y", "passed": True, "max_abs": 0.5, "relative": 0.25, "tolerance": 1.0}
    verdict = {"source": "onnxruntime 1.0", "passed": True, "tensors": [tensor]}
    run = {"image": {"manifest_sha256": SHA}, "flow": "credits:4"}
    return {"exit_code": 0, "run_seconds": 2.0, "samples": 4, "verdict": verdict, "kept": None, "run": run} | changes


def write(path: Path, values: object) -> Path:
    path.write_text(json.dumps(values))
    return path


@pytest.mark.parametrize(
    ("changes", "state", "words"),
    [
        ({}, "right", "all outputs of 4 samples agree with onnxruntime 1.0"),
        ({"exit_code": 1, "reason": "y differs"}, "wrong", "y differs"),
        ({"exit_code": 4, "error": "deadlock"}, "failed", "deadlock"),
        ({"verdict": None, "note": "no golden"}, "not compared", "no golden"),
        ({"verdict": None, "note": ""}, "not compared", "nothing was compared"),
    ],
)
def test_the_verdict_says_how_it_ended(changes: dict, state: str, words: str, tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run.json", run_values(**changes)), SHA)
    found = verdict_values(run, Path("out"))
    assert (found["state"], found["sentence"]) == (state, words)
    assert str(run.flow) == "credits:4"


def test_what_a_search_has_found_stands_with_the_verdict(tmp_path: Path) -> None:
    site = Site(3, "conv", index=7, instruction="xbmvm")
    found = BisectResult(0, node="conv", core=3, site=site, tensors=2)
    run = read_run(write(tmp_path / "run.json", run_values(exit_code=1, bisect=found.to_dict())), SHA)
    told = verdict_values(run, Path("out"))["bisect"]
    assert (told["node"], told["core"], told["lines"]) == ("conv", 3, found.lines())
    for none in (None, 3, {}, {"lines": 3}, {"lines": []}):
        run = read_run(write(tmp_path / "run.json", run_values(bisect=none)), SHA)
        assert verdict_values(run, Path("out"))["bisect"] is None
    odd = {"lines": ["bisect: nothing", 4], "node": [], "core": "x"}
    run = read_run(write(tmp_path / "run.json", run_values(bisect=odd)), SHA)
    assert verdict_values(run, Path("out"))["bisect"] == {"node": None, "core": None, "lines": ["bisect: nothing", "4"]}


def test_a_run_that_ended_with_an_error_needs_no_more(tmp_path: Path) -> None:
    values = {"schema": 1, "error": "core 3 was killed", "exit_code": 5}
    run = read_run(write(tmp_path / "run.json", values), SHA)
    assert verdict_values(run, Path("out"))["state"] == "failed" and str(run.flow) == "rendezvous"


def test_of_several_cases_that_of_the_image_is_taken(tmp_path: Path) -> None:
    other = run_values(run={"image": {"manifest_sha256": "00"}}, samples=9)
    path = write(tmp_path / "suite.json", {"cases": [{"report": other}, {"report": None}, {"report": run_values()}]})
    assert read_run(path, SHA).values["samples"] == 4


def test_a_case_that_ended_too_early_to_tell_its_image_stands_back(tmp_path: Path) -> None:
    dead = {"schema": 1, "error": "core 3 was killed", "exit_code": 5}
    for reports in ([dead, run_values()], [run_values(), dead]):
        path = write(tmp_path / "suite.json", {"cases": [{"report": report} for report in reports]})
        assert read_run(path, SHA).values["exit_code"] == 0


def test_a_folder_of_artefacts_has_its_report(tmp_path: Path) -> None:
    write(tmp_path / "report.json", run_values(exit_code=1, reason="y differs"))
    assert read_run(tmp_path, SHA).values["reason"] == "y differs"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ("[" * 100000, "is no JSON"),
        ("[]", "does not tell of a run"),
        ("3", "does not tell of a run"),
        ('{"exit_code": 0}', "does not tell of a run"),
        ('{"exit_code": "a", "error": "b"}', "does not tell of a run"),
        ('{"cases": [1, {}, {"report": 3}]}', "does not tell of a run"),
        (json.dumps(run_values(verdict={"tensors": 3})), "does not tell of a run"),
        (json.dumps(run_values(kept={"tensors": [{}]})), "does not tell of a run"),
        (json.dumps(run_values(run={"image": 3})), "does not tell of a run"),
        (json.dumps(run_values(run=[])), "does not tell of a run"),
        (json.dumps(run_values(run={"image": {"manifest_sha256": "00"}})), "another image"),
        ("", "is empty"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(image: Path, emu: Emu, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    result = emu("report", image, "--run", path)
    assert result.exit_code == 2 and words in result.stderr and str(path) in result.stderr
    assert result.stderr.count("\n") == 1 and "Traceback" not in result.output


@pytest.mark.parametrize("damage", [{"verdict": {"source": None, "tensors": [{"name": "y"}]}}, {"samples": "x"}])
def test_a_run_with_gaps_is_shown_as_far_as_it_goes(
    image: Path, emu: Emu, tmp_path: Path, values: Values, damage: dict
) -> None:
    run = run_values(run={"image": {"manifest_sha256": values["manifest_sha256"]}}) | damage
    result = emu("report", image, "--run", write(tmp_path / "run.json", run), "-o", tmp_path / "r.html")
    assert result.exit_code == 0, result.output
    assert emu("report", image, "--run", tmp_path / "run.json").exit_code == 0


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(10**400), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
)


def places(value: object, at: tuple = ()) -> list[tuple]:
    """Where everything in a value is."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, part in inner for place in places(part, (*at, key)))]


@given(st.data())
def test_whatever_stands_in_the_file_it_is_shown_or_refused(
    values: Values, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    run = run_values(
        kept={"source": "x", "tensors": [{"name": "inner", "node": "n", "worst": [0, 1]}]}, measures={"a": 1}
    )
    place = data.draw(st.sampled_from([at for at in places(run) if at]))
    inner = run
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = data.draw(JSON)
    path = write(tmp_path_factory.mktemp("runs") / "run.json", run)
    try:
        given_run = read_run(path, SHA)
    except InputError:
        return
    errors = errors_by_node(given_run, {})
    shown = values | {"verdict": verdict_values(given_run, Path("out")), "real": real_values(given_run)}
    shown["nodes"] = [node | {"error": errors.get("n")} for node in values["nodes"]]
    assert json.dumps(shown, allow_nan=False) and str(given_run.flow)
    assert lines(shown) and tables(shown)


def test_tensors_are_those_of_outputs_and_kept_ones() -> None:
    kept = {"tensors": [{"name": "inner"}]}
    assert [t["name"] for t in GivenRun(Path("x"), run_values(kept=kept)).tensors] == ["y", "inner"]
