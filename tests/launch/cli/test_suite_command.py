"""`emu validate` of many networks: all run, one table, one exit code, reports for CI servers; whatever happens."""

import json
import os
import re
import shlex
import signal
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from commands import Emu
from emu_processes import EmuProcess, EmuProcesses
from junitparser import JUnitXml
from leaks import LeftoverCheck, wait_until_gone
from onnx_models import one_node, random_array

from launch.cli import cli
from launch.cli.schema import SCHEMA

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "json.md").read_text()
SUITES = (ROOT / "docs" / "suites.md").read_text()
PATIENCE = 60
SUITE = """\
[defaults]
cores = 4
timeout = 100

[[case]]
model = "nets/*.onnx"
samples = 2

[[case]]
name = "small chip"
model = "nets/right.onnx"
arch = "chip.toml"

[[case]]
pattern = "ring"
count = 2

[[case]]
name = "killed"
pattern = "ring"
chaos = "kill:2@3"
"""
CODES = {"all nan": 1, "right": 0, "small chip": 0, "ring": 0, "killed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tiny networks, of which one is wrong whatever computes it, and a suite."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "nets").mkdir()
    onnx.save(one_node("Gemm", (1, 4), random_array(4, 4)), folder / "nets" / "right.onnx")
    onnx.save(one_node("Add", (1, 4), np.full(4, np.nan, np.float32)), folder / "nets" / "all nan.onnx")
    (folder / "chip.toml").write_text("[chip]\ncores = 8\n")
    (folder / "suite.toml").write_text(SUITE)
    return folder


@pytest.fixture(scope="module")
def told(folder: Path) -> dict[str, Any]:
    """The suite, one case at a time, with JUnit XML in out.xml."""
    arguments = ["validate", "--suite", str(folder / "suite.toml"), "--junit", str(folder / "out.xml"), "--json"]
    result = CliRunner().invoke(cli, arguments)
    assert result.stdout.count("\n") == 1
    values = json.loads(result.stdout)
    assert result.exit_code == values["exit_code"] == 5
    lines = result.stderr.splitlines()
    assert [re.sub(r"in [0-9.]+ s$", "", line).rstrip() for line in lines[:2]] == [
        "[1/5] all nan: FAIL",
        "[2/5] right: PASS",
    ]
    return values


def without_times(value: Any) -> Any:
    """All but what depends on how fast it went, and how many ran at a time."""
    if isinstance(value, dict):
        return {
            key: without_times(member)
            for key, member in value.items()
            if "second" not in key and key not in ("began", "jobs")
        }
    return [without_times(member) for member in value] if isinstance(value, list) else value


def test_all_run_whatever_comes_of_the_others(told: dict[str, Any], folder: Path) -> None:
    assert {case["name"]: case["exit_code"] for case in told["cases"]} == CODES
    assert (told["passed"], told["failed"], told["not_run"], told["schema"]) == (3, 2, 0, SCHEMA)
    nan, right, small, ring, killed = told["cases"]
    assert right["model"] == f"{folder}/nets/right.onnx" and right["pattern"] is None
    assert right["command"] == ["validate", right["model"], *["--cores", "4", "--timeout", "100", "--samples", "2"]]
    assert right["report"]["samples"] == 2 and right["report"]["verdict"]["passed"] and right["reason"] == ""
    assert small["report"]["run"]["arch"]["cores"] == 8
    assert ring["pattern"] == "ring" and ring["report"]["messages"] == 8 and ring["model"] is None
    assert ring["command"] == ["stress", "ring", "--cores", "4", "--timeout", "100", "--count", "2"]
    assert "core 2 was killed by SIGKILL" in killed["reason"]
    assert nan["report"]["verdict"]["passed"] is False
    assert told["suite"]["path"] == str(folder / "suite.toml") and len(told["suite"]["sha256"]) == 64


@pytest.mark.full
def test_three_at_a_time_are_the_same(told: dict[str, Any], folder: Path, emu: Emu) -> None:
    result = emu("validate", "--suite", folder / "suite.toml", "--junit", folder / "out.xml", "--json", "--jobs", 3)
    values = json.loads(result.stdout)
    assert values["command"] == [*told["command"], "--jobs", "3"]
    assert without_times(values) | {"command": []} == without_times(told) | {"command": []}


def test_junit_says_the_same(told: dict[str, Any], folder: Path) -> None:
    (suite,) = JUnitXml.fromfile(str(folder / "out.xml"))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (5, 1, 1, 0)
    cases = {case.name: case for case in suite}
    assert list(cases) == list(CODES)
    for name, code in CODES.items():
        assert cases[name].is_passed == (code == 0) and cases[name].is_failure == (code == 1)
        said = cases[name].system_out
        assert code == 0 or json.loads(said)["exit_code"] == code
        assert code or said == (None if name == "ring" else "\n".join(report_of(told, name)["lines"]))
        assert code or name == "ring" or said.splitlines()[-1].startswith("PASS")
    assert "core 2 was killed" in cases["killed"].system_err
    assert {"command", "version.emu", "host.cpus", "suite.sha256"} <= {prop.name for prop in suite.properties()}


def report_of(told: dict[str, Any], name: str) -> dict[str, Any]:
    return next(case["report"] for case in told["cases"] if case["name"] == name)


@pytest.mark.parametrize("option", [["--jobs", 1], ["-x", "-j", 3, "--isolated"]])
def test_a_single_network_is_one_run(folder: Path, emu: Emu, option: list) -> None:
    words = ["validate", folder / "nets" / "all nan.onnx", "--cores", 4, "--sequential"]
    alone, result = emu(*words), emu(*words, *option)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (1, alone.stdout.splitlines()[-1])
    assert result.stdout.startswith("all nan.onnx: ") and len(result.stdout.splitlines()) == len(
        alone.stdout.splitlines()
    )
    alone, result = (json.loads(emu(*words, *more, "--json").stdout) for more in ([], option))
    assert result.keys() == alone.keys() and result["verdict"] == alone["verdict"]


@pytest.mark.parametrize("option", [["--junit", "new/er/out.xml"], ["--annotations", "none"]])
def test_a_single_network_has_its_verdict(
    folder: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch, option: list
) -> None:
    monkeypatch.chdir(folder)
    for name, word, code in (("right", "PASS", 0), ("all nan", "FAIL", 1)):
        alone = emu("validate", f"nets/{name}.onnx", "--cores", 4, "--sequential")
        result = emu("validate", f"nets/{name}.onnx", "--cores", 4, "--sequential", *option)
        verdict = alone.stdout.splitlines()[-1]
        assert result.exit_code == alone.exit_code == code and verdict.startswith(word)
        assert verdict in result.stdout.splitlines() and "case  " not in result.stdout
        told = json.loads(emu("validate", f"nets/{name}.onnx", "--cores", 4, "--sequential", *option, "--json").stdout)
        assert told["lines"][-1] == verdict and told["exit_code"] == code
    assert option[0] != "--junit" or len(JUnitXml.fromfile(option[1])) == 1


def test_what_is_typed_wins_and_the_printed_command_repeats(folder: Path, emu: Emu) -> None:
    arguments = ["--suite", folder / "suite.toml", "--cores", 3, "--sequential", "--annotations", "none"]
    shown = emu("validate", *arguments).stdout.splitlines()
    assert shown[0].split() == ["case", "result", "relative", "limit", "cores", "samples", "seconds"]
    assert shown[2].startswith(" all nan    FAIL") and shown[-1].startswith("3 of 5 cases right (1 wrong, 1 lost) in ")
    place = next(number for number, line in enumerate(shown) if line.startswith("FAIL  all nan: "))
    words = shlex.split(shown[place + 1])
    assert words[0] == "emu" and words[1:] == [
        "validate",
        f"{folder}/nets/all nan.onnx",
        *["--cores", "3", "--timeout", "100", "--samples", "2", "--sequential"],
    ]
    again = emu(*words[1:])
    assert again.exit_code == 1 and "all golden elements are NaN" in again.stdout
    assert any(line == "  emu stress ring --cores 3 --timeout 100 --chaos kill:2@3" for line in shown)


def test_fields_are_those_of_the_page(told: dict[str, Any]) -> None:
    text = PAGE.partition("### Several cases\n")[2].partition("\n## ")[0]
    fields = {name for line in text.splitlines() if line.startswith("| `") for name in re.findall("`([^`]+)`", line)}
    assert set(told) | set(told["cases"][0]) | {"command"} <= fields | {"schema"}


def test_networks_on_the_command_line(folder: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    nan, right = folder / "nets" / "all nan.onnx", folder / "nets" / "right.onnx"
    result = emu("validate", nan, right, "--cores", 2, "--sequential", "--json")
    assert result.exit_code == 1
    assert [case["name"] for case in json.loads(result.stdout)["cases"]] == ["all nan", "right"]
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("::")]
    assert line.startswith(f"::error file={nan},title=emu validate all nan::")
    assert (tmp_path / "summary.md").read_text().startswith("### emu validate: 1 of 2 cases right (1 wrong) in ")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    again = emu("validate", nan, "--annotations", "github", "--sequential")
    assert again.exit_code == 1 and again.stdout.startswith("::error ")
    assert f"warning: GITHUB_STEP_SUMMARY {tmp_path} cannot be written: Is a directory" in again.stderr


def test_networks_of_one_name_are_called_by_their_paths(folder: Path, emu: Emu, tmp_path: Path) -> None:
    other = tmp_path / "right.onnx"
    other.write_bytes((folder / "nets" / "right.onnx").read_bytes())
    result = emu("validate", other, folder / "nets" / "right.onnx", "--sequential", "--json", "--deadline", 1e-9)
    told = json.loads(result.stdout)
    assert [case["name"] for case in told["cases"]] == [str(other), str(folder / "nets" / "right.onnx")]
    assert result.exit_code == 6 and told["deadline"] == 1e-9
    assert all(case["reason"] == "the deadline of 1e-09 s has passed" for case in told["cases"])
    assert not any("--deadline" in case["command"] for case in told["cases"])


def test_results_are_told_when_the_file_cannot_be_written(
    emu_processes: EmuProcesses, folder: Path, tmp_path: Path
) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))"
    words = ("validate", folder / "nets" / "right.onnx", "--deadline", "1e-9", "--junit", tmp_path / "out.xml")
    done = emu_processes.run(*words, before=limit)
    assert done.returncode == 2 and "0 of 1 case right (1 timed out)" in done.stdout
    assert f"error: {tmp_path}/out.xml: cannot be written: File too large" in done.stderr
    assert not list(tmp_path.iterdir())


def start_long(emu_processes: EmuProcesses, folder: Path, *options: str) -> EmuProcess:
    """A suite whose first case has ended, and of which the next two run for long."""
    long = '[[case]]\nname = "{}"\npattern = "ring"\ncores = 2\n'
    texts = long.format("short") + "count = 1\n", *(long.format(name) + "duration = 100\n" for name in "abc")
    (folder / "suite.toml").write_text("".join(texts))
    scratch = folder / "scratch"
    scratch.mkdir()
    words = ["validate", "--suite", "suite.toml", "--jobs", "2", "--junit", "out.xml", *options]
    process = emu_processes.start(*words, cwd=folder, env={"TMPDIR": str(scratch)})
    assert process.stderr.readline().startswith("[1/4] short: PASS")
    time.sleep(0.1)
    return process


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("end", "as_json"),
    [
        pytest.param(signal.SIGINT, False, id="SIGINT-text"),
        pytest.param(signal.SIGTERM, True, id="SIGTERM-json"),
        pytest.param(signal.SIGINT, True, id="SIGINT-json", marks=pytest.mark.full),
        pytest.param(signal.SIGTERM, False, id="SIGTERM-text", marks=pytest.mark.full),
    ],
)
def test_an_interruption_leaves_a_report_and_nothing_else(
    emu_processes: EmuProcesses, tmp_path: Path, end: signal.Signals, as_json: bool
) -> None:
    before = LeftoverCheck.now()
    process = start_long(emu_processes, tmp_path, *(["--json"] if as_json else []))
    process.send_signal(end)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + end and "Traceback" not in stderr
    assert stderr.splitlines()[-1] == f"error: {'interrupted' if end == signal.SIGINT else 'terminated'}"
    if as_json:
        told = json.loads(stdout)
        assert [case["exit_code"] for case in told["cases"]] == [0, None, None, None]
        assert [told["cases"][number]["reason"] for number in (0, 3)] == ["", "not started"]
        assert (told["exit_code"], told["not_run"]) == (128 + end, 3)
    else:
        assert "1 of 4 cases right (3 not run) in " in stdout and "not run  c: not started" in stdout
    (suite,) = JUnitXml.fromfile(str(tmp_path / "out.xml"))
    assert (suite.tests, suite.skipped) == (4, 3)
    assert not wait_until_gone(before)
    assert {path.name for path in tmp_path.iterdir()} == {"suite.toml", "out.xml", "scratch"}
    assert not list((tmp_path / "scratch").iterdir())


def test_a_suite_that_is_killed_takes_its_cases_along(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    before = LeftoverCheck.now()
    process = start_long(emu_processes, tmp_path)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert not wait_until_gone(before)
    assert not (tmp_path / "out.xml").exists() and not list((tmp_path / "scratch").iterdir())


def test_names_that_hold_anything(folder: Path, tmp_path: Path, emu: Emu) -> None:
    strange = tmp_path / os.fsdecode(b"a\n::error::b\x1b[31m\xff|<i>.onnx")
    strange.write_bytes((folder / "nets" / "right.onnx").read_bytes())
    out = tmp_path / "out.xml"
    result = emu("validate", strange, "--deadline", 1e-9, "--junit", out, "--annotations", "github")
    assert result.exit_code == 6 and result.stdout.count("\n::") == 0
    assert "a\\n::error::b\\x1b[31m\\udcff|<i>: the deadline" in result.stdout
    (suite,) = JUnitXml.fromfile(str(out))
    assert [case.name for case in suite] == ["a\n::error::b\\x1b[31m\\udcff|<i>"]


def test_the_suite_of_the_page_can_be_read(tmp_path: Path, emu: Emu) -> None:
    text = SUITES.partition("## Suites\n")[2].partition("```toml\n")[2].partition("```")[0]
    models = [case["model"].replace("*", "net") for case in tomllib.loads(text)["case"] if "model" in case]
    for name in models:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        onnx.save(one_node("Gemm", (1, 4), random_array(4, 4)), tmp_path / name)
    (tmp_path / "chip.toml").write_text("[chip]\ncores = 64\n")
    (tmp_path / "suite.toml").write_text(text)
    told = json.loads(emu("validate", "--suite", tmp_path / "suite.toml", "--deadline", 1e-9, "--json").stdout)
    assert told["failed"] == len(told["cases"]) == text.count("[[case]]") >= 4


def test_what_is_expected_which_run_and_which_failed_last(
    folder: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A suite with cases of every kind, selected in every way."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    expects = folder / "expects.toml"
    case = '[[case]]\nname = "{}"\nmodel = "nets/{}.onnx"\nsequential = true\n{}\n'
    expects.write_text(
        case.format("too large", "right", 'arch = "large.toml"\nexpect = "refused"')
        + case.format("wrong", "all nan", 'expect = "wrong"')
        + case.format("right", "right", "")
        + case.format("not refused", "right", 'expect = "refused"')
        + case.format("never", "right", "")
    )
    (folder / "large.toml").write_text("[chip]\ncores = 1\n[core]\ncrossbars = 1\n[crossbar]\nrows = 2\ncols = 2\n")

    def names(*arguments: object) -> dict[str, int | None]:
        told = json.loads(emu("validate", "--suite", expects, "--json", *arguments).stdout)
        return {case["name"]: case.get("exit_code") for case in told["cases"]}

    assert list(names("--list")) == ["too large", "wrong", "right", "not refused", "never"]
    listed = emu("validate", "--suite", expects, "--list", "-k", "large").stdout
    assert "too large" in listed and "refused" in listed and "emu validate" in listed and "never" not in listed
    first = names("-x")
    assert first == {"too large": 0, "wrong": 0, "right": 0, "not refused": 1, "never": None}
    assert names("--last-failed") == {"not refused": 1}
    assert names("--last-failed", "--expect", "right") == {"not refused": 0}
    assert names("--last-failed", "--list", "--shard", "1/5") == {"too large": None}  # nothing fails any more
    refused = emu("validate", "--suite", expects, "-k", "nobody")
    assert refused.exit_code == 2 and "none of 5 cases matches (too large, wrong, right, ...)" in refused.stderr
    unknown = emu("validate", "--suite", expects, "--shard", "0/3")
    assert unknown.exit_code == 2 and "use a part and how many there are, such as 1/4" in unknown.stderr


def test_a_fresh_interpreter_says_the_same(folder: Path, emu: Emu) -> None:
    arguments = ["validate", folder / "nets" / "right.onnx", "--cores", 2, "--json", "--expect", "right"]
    warm, fresh = (json.loads(emu(*arguments, *more).stdout) for more in ([], ["--isolated"]))
    assert without_times(warm) | {"command": []} == without_times(fresh) | {"command": []}
    assert warm["verdict"]["passed"] is True
