"""`emu conformance`: what it prints, its JSON, its exit codes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import suite_cases
from click.testing import CliRunner
from junitparser import JUnitXml
from run_processes import wait_for

from launch.campaigns import starting
from launch.cli import cli
from launch.conformance.cases import KINDS, OnnxCase, collect

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
SMALL = ("test_relu", "test_identity", "test_shape", "test_triu_zero", "test_matmul_2d")


@pytest.fixture(autouse=True)
def _cases_of_campaigns(lasting_cases, monkeypatch):
    monkeypatch.setattr(starting, "place_for", lasting_cases.place_for)


@pytest.fixture
def some(monkeypatch):
    """The command finds these cases alone."""

    def put(*cases):
        monkeypatch.setattr("launch.conformance.campaign.collect", lambda kinds: [c for c in cases if c.kind in kinds])

    return put


@pytest.fixture
def small(some):
    some(*(case for case in suite_cases.target_cases() if case.name in SMALL))


def emu(*arguments):
    return CliRunner().invoke(cli, ["conformance", *map(str, arguments)])


def fields_of(text):
    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall("`([^`]+)`", cell)}


def test_fields_are_those_of_the_page(small):
    result = emu("--json")
    found = json.loads(result.stdout)
    page = PAGE.partition("## emu conformance\n")[2].partition("\n## ")[0]
    own, _, of_cases = page.partition("Of each case:")
    assert found.keys() - {"schema"} == fields_of(own)
    assert {key for case in found["cases"] for key in case} == fields_of(of_cases)
    assert result.exit_code == found["exit_code"] == 0


def test_outcomes_and_totals(small):
    found = json.loads(emu("--json", "--jobs", 2).stdout)
    outcomes = {case["name"]: case["outcome"] for case in found["cases"]}
    assert outcomes["test_relu"] == "passed" and outcomes["test_shape"] == "passed"
    assert outcomes["test_triu_zero"] == "empty"
    assert set(outcomes) == set(SMALL) and found["totals"]["cases"] == len(SMALL)
    assert sum(number for name, number in found["totals"].items() if name != "cases") == len(SMALL)
    assert found["operators"]["Relu"]["passed"] == 1


def test_what_people_read(small):
    result = emu()
    assert result.exit_code == 0
    assert re.search(r"^ *Relu +1 ", result.stdout, re.MULTILINE)
    assert re.search(r"^\d of 5 cases passed \(", result.stdout.splitlines()[-1])


def test_a_case_that_differs_is_told_and_fails(some):
    x = np.ones((1, 3), np.float32)
    model = suite_cases.one_node("Relu", [[1, 3]], [1, 3])
    some(OnnxCase("test_wrong", "node", frozenset({"Relu"}), model, [([x], [x + 1])], 1e-3, 1e-7))
    result = emu()
    assert result.exit_code == 1
    assert "FAIL  test_wrong: output 'y': 3 of 3 elements beyond" in result.stdout


def test_what_is_not_there_is_skipped(some):
    model = suite_cases.one_node("Relu", [[1, 3]], [1, 3])
    some(OnnxCase("test_far", "real", frozenset(), model, [], 1e-3, 1e-7, "the network is not in the installed onnx"))
    found = json.loads(emu("--json").stdout)
    assert found["totals"]["skipped"] == 1 and found["totals"]["passed"] == 0
    assert found["cases"][0]["reason"] == "the network is not in the installed onnx"


def test_a_deadline_that_has_passed(small):
    result = emu("--deadline", "0.0001")
    assert result.exit_code == 6 and "5 not run" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--op", "Rely"], "--op Rely: no case has this operator; did you mean 'Relu'?"),
        (["--case", "test_rel"], "--case test_rel: no case has such a name; did you mean 'test_relu'?"),
        (["--kind", "huge"], "'huge' is not one of 'node', 'simple', 'pytorch-converted', 'pytorch-operator', 'real'"),
        (["--sample", "0"], "0 is too small: give 1 or more"),
        (["--timeout", "0"], "0 is too small: give more than 0"),
    ],
)
def test_wrong_use_is_one_sentence(small, arguments, sentence):
    result = emu(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr and result.stderr.count("\n") == 1


def test_cases_outside_of_the_target_set_need_all(some):
    model = suite_cases.one_node("Det", [[2, 2]], [])
    some(OnnxCase("test_det", "node", frozenset({"Det"}), model, [([np.eye(2, dtype=np.float32)], [])], 1e-3, 1e-7))
    assert "no such case is of the target set (test_det: operator Det): add --all" in emu("--op", "Det").stderr
    result = emu("--op", "Det", "--all")
    assert result.exit_code == 0 and "refused 1: has unsupported operators: Det (test_det)" in result.stdout


def test_a_signal_ends_it_and_all_that_it_started(tmp_path):
    command = [sys.executable, "-m", "launch", "conformance", "--kind", "pytorch-converted", "--jobs", "2"]
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: list(tmp_path.glob("emu-conformance-*/image")))  # a case is under way
    process.terminate()
    assert process.communicate(timeout=60)[1] == "error: terminated\n" and process.returncode == 143
    assert not list(tmp_path.iterdir())


def test_cases_are_the_same_every_time():
    first, second = (collect(["simple", "pytorch-operator"]) for _ in range(2))
    assert [case.name for case in first] == [case.name for case in second]
    assert all(case.data for case in first if case.kind == "pytorch-operator")
    assert list(KINDS)[:2] == ["node", "simple"]


def test_cases_are_selected_told_to_servers_and_expected_as_those_of_a_suite(small, tmp_path):
    out = tmp_path / "out.xml"
    result = emu("-k", "relu or triu", "--junit", out, "--annotations", "none")
    assert result.exit_code == 0 and "1 of 2 cases passed (1 empty)" in result.stdout
    (suite,) = JUnitXml.fromfile(str(out))
    assert (suite.name, suite.tests, suite.skipped, suite.failures) == ("emu conformance", 2, 1, 0)
    listed = json.loads(emu("--list", "--shard", "2/2", "--json").stdout)["cases"]
    assert len(listed) == 2 and listed[0]["command"][:2] == ["conformance", "--kind"]
    expected = emu("-k", "relu", "--expect", "refused")
    assert expected.exit_code == 1
    assert "FAIL  test_relu: refused is expected, and it is right" in expected.stdout
