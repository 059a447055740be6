"""`emu validate`: what it takes besides a network, and what fails a run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, SAMPLES, Emu

from emu.image.npz import read_npz, write_npz

ROOT = Path(__file__).parents[3]
QUICK = ("--cores", 16, "--sequential")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five images of digits with their labels, of which one is wrong."""
    arrays = {name: array[:5].copy() for name, array in read_npz(SAMPLES).items()}
    arrays["labels"][4] = (arrays["labels"][4] + 1) % 10
    path = tmp_path_factory.mktemp("few") / "few.npz"
    write_npz(path, arrays)
    return path


@pytest.mark.parametrize(("least", "code"), [(0.8, 0), (0.81, 1), (1, 1), (0, 0)])
def test_too_few_right_labels_fail_the_run(emu: Emu, few: Path, least: float, code: int) -> None:
    arguments = ["validate", DIGITS, *QUICK, "--input", few, "--labels", "labels", "--min-accuracy", least]
    done = emu(*arguments)
    assert done.exit_code == code and "accuracy 4/5 (80.00 %)" in done.stdout
    assert (f"FAIL  accuracy 4/5 is 0.8, --min-accuracy {least:g}" in done.stdout) == bool(code)
    report = json.loads(emu(*arguments, "--json").stdout)
    assert (report["exit_code"], report["accuracy"], report["min_accuracy"]) == (code, {"right": 4, "of": 5}, least)
    assert ("accuracy 4/5" in report["reason"]) == bool(code)


def test_golden_values_of_ones_own(emu: Emu, few: Path, tmp_path: Path) -> None:
    arguments = ["validate", DIGITS, *QUICK, "--input", few]
    report = json.loads(emu(*arguments, "--json").stdout)
    assert report["verdict"]["source"].startswith("onnxruntime") and report["samples"] == 5
    assert emu(*arguments, "--keep-artifacts", tmp_path / "kept", "--tolerance", 1e-30).exit_code == 1
    golden = tmp_path / "kept" / "digits_cnn" / "golden.npz"
    done = emu(*arguments, "--golden", golden)
    assert done.exit_code == 0 and f"golden {golden}:" in done.stdout
    arrays = read_npz(golden)
    wrong = {name: array + np.float32(1) for name, array in arrays.items()}
    write_npz(tmp_path / "wrong.npz", wrong)
    done = emu(*arguments, "--golden", tmp_path / "wrong.npz", "--json")
    report = json.loads(done.stdout)
    assert done.exit_code == 1 and report["reason"].startswith("out0: max|diff| ")
    stored = emu("validate", DIGITS, *QUICK, "--samples", 5, "--golden", tmp_path / "wrong.npz")
    assert stored.exit_code == 1


def test_inputs_by_name(emu: Emu, few: Path, tmp_path: Path) -> None:
    name, array = next((name, array) for name, array in read_npz(few).items() if name != "labels")
    np.save(tmp_path / "x.npy", array[:2])
    report = json.loads(emu("validate", DIGITS, *QUICK, "--input", f"{name}={tmp_path / 'x.npy'}", "--json").stdout)
    assert (report["exit_code"], report["samples"]) == (0, 2)


def test_kept_tensors_and_repetitions(emu: Emu) -> None:
    done = emu("validate", DIGITS, *QUICK, "--keep", "all", "--repeat", 2)
    assert done.exit_code == 0 and "2 repetitions, equal" in done.stdout and "intermediate tensors" in done.stdout
    assert emu("validate", DIGITS, *QUICK, "--keep", "nonsense").exit_code == 2


def test_chaos_and_series(emu: Emu) -> None:
    done = emu(
        "validate", DIGITS, "--cores", 4, "--chaos", "delay:0.5,1", "--chaos-runs", 2, "--timeout", 100, "--json"
    )
    report = json.loads(done.stdout)
    assert (done.exit_code, report["series"]["equal"]) == (0, 2)
    done = emu("validate", DIGITS, "--cores", 4, "--chaos", "kill:0@0", "--timeout", 100)
    assert done.exit_code == 5 and "killed by SIGKILL" in done.stderr


def test_budgets(emu: Emu, tmp_path: Path) -> None:
    baseline = tmp_path / "before.json"
    before = emu("validate", DIGITS, *QUICK, "--json")
    baseline.write_text(before.stdout)
    measures = json.loads(before.stdout)["measures"]
    right = emu(
        "validate", DIGITS, *QUICK, "--baseline", baseline, "--max-bytes", "1x", "--max-cores", measures["cores"]
    )
    assert right.exit_code == 0
    over = emu("validate", DIGITS, *QUICK, "--max-cores", measures["cores"] - 1, "--max-messages", "100000", "--json")
    report = json.loads(over.stdout)
    assert over.exit_code == 1 and report["verdict"]["passed"] and len(report["over_budget"]) == 1
    assert (
        report["reason"]
        == report["over_budget"][0]
        == (f"over budget: {measures['cores']} cores with a program, --max-cores {measures['cores'] - 1}")
    )
    slow = emu("validate", DIGITS, *QUICK, "--baseline", baseline, "--max-latency-ratio", "0.0001")
    assert slow.exit_code == 1 and "FAIL  over budget" in slow.stdout


def test_the_record_repeats_the_run(emu: Emu) -> None:
    first = json.loads(emu("validate", DIGITS, *QUICK, "--seed", 7, "--samples", 2, "--json").stdout)["run"]
    assert first["command"][:2] == ["validate", str(DIGITS)]
    again = json.loads(emu(*first["command"]).stdout)["run"]
    assert (again["outputs"], again["inputs"], again["image"]) == (first["outputs"], first["inputs"], first["image"])
    other = json.loads(emu("validate", DIGITS, *QUICK, "--seed", 8, "--json").stdout)["run"]
    assert other["outputs"] != first["outputs"]


def test_the_script_of_the_page_repeats_a_report(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(emu("validate", DIGITS, *QUICK, "--seed", 7, "--json").stdout)

    def repeated() -> subprocess.CompletedProcess[str]:
        words = [ROOT / "docs" / "repeat.py", tmp_path / "run.json", sys.executable, "-m", "launch"]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)

    done = repeated()
    assert done.returncode == 0 and done.stdout.startswith("equal: 1 output(s), sha256 "), done.stderr
    text = (tmp_path / "run.json").read_text()
    digest = json.loads(text)["run"]["outputs"]["out0"]
    (tmp_path / "run.json").write_text(text.replace(digest, "0" * 64))
    done = repeated()
    assert (done.returncode, done.stdout) == (1, "different: out0\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--min-accuracy", "0.5"], "--min-accuracy counts right labels: give --labels"),
        (["--min-accuracy", "1.1"], "1.1 is too large: give 1 or less"),
        (["--labels", "x"], "--labels names an array of the input file: give --input"),
        (["--input", SAMPLES, "--seed", "3"], "--seed has no effect with --input"),
        (["--input", SAMPLES, "--samples", "3"], "--samples has no effect with --input"),
        (["--max-cores", "few"], "--max-cores 'few' is no bound of cores with a program"),
        (["--max-bytes", "1.1x"], "--max-bytes is a ratio to an earlier run: give its JSON with --baseline"),
        (["--baseline", DIGITS], "bounds nothing: give a ratio, such as --max-bytes 1.1x"),
        (["--baseline", DIGITS, "--max-bytes", "1x"], "digits_cnn.onnx"),
        (["--name", "../x", "--keep-artifacts", "somewhere"], "--name ../x is no name of a folder"),
        (["--golden", "oracle"], "'oracle' is neither onnxruntime"),
        (["--chaos-runs", "3"], "--chaos-runs has no effect without --chaos"),
        (["--deadline", "0"], "0 is too small: give more than 0"),
    ],
)
def test_usage_errors(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = emu("validate", DIGITS, *arguments)
    assert done.exit_code == 2 and words in done.stderr and done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("seconds", "as_json"),
    [
        pytest.param(seconds, as_json, marks=[] if as_json == (number % 2 == 0) else pytest.mark.full)
        for number, seconds in enumerate((0.01, 0.4, 0.8, 1.2))
        for as_json in (True, False)
    ],
)
def test_a_deadline_ends_the_command_wherever_it_is(tmp_path: Path, seconds: float, as_json: bool) -> None:
    command = [
        sys.executable,
        "-m",
        "launch",
        "validate",
        str(DIGITS),
        "--repeat",
        "100000",
        "--deadline",
        str(seconds),
    ]
    done = subprocess.run(
        [*command, *(["--json"] if as_json else [])],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 6, done.stderr
    assert "the deadline has passed" in done.stderr and "Traceback" not in done.stderr
    assert not as_json or json.loads(done.stdout)["exit_code"] == 6
    assert not list(tmp_path.iterdir())


def test_a_deadline_that_is_met_changes_nothing(emu: Emu) -> None:
    assert emu("validate", DIGITS, *QUICK, "--deadline", 600).exit_code == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--duplicate", "throughput", "--pipelined", "--placement", "frugal"],
        ["--segments", "--arch", "tiny", "--cores", 2, "--duplicate", "latency"],
        ["--lowering", "pixel"],
    ],
)
def test_schedules_are_compiled_as_by_compile(emu: Emu, tmp_path: Path, options: list[object]) -> None:
    """With any schedule the outputs are right, and the image is that of `emu compile`."""
    done = emu("validate", DIGITS, *QUICK, *options, "--cache", tmp_path / "cache", "--json")
    assert done.exit_code == 0, done.output
    (kept,) = (tmp_path / "cache").glob("*/image/manifest.json")
    assert emu("compile", DIGITS, "--cores", 16, *options, "-o", tmp_path / "out").exit_code == 0
    assert read_programs(kept.parent) == read_programs(tmp_path / "out")


def read_programs(image: Path) -> dict[str, bytes]:
    """The files of the programs of an image, which has some."""
    assert list(image.glob("*.prog"))
    return {path.name: path.read_bytes() for path in sorted(image.glob("*.prog"))}
