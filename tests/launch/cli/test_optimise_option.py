"""`emu compile --optimise`: what is written, told and refused, and what Ctrl-C leaves."""

import json
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.image.reader import open_image

FEW = ("--candidates", 6, "--golden", "none")


def files_of(out: Path) -> dict[str, str]:
    return {name: digest.sha256 for name, digest in open_image(out).manifest.files.items()}


def test_what_is_chosen_is_written_and_told_and_the_same_by_hand(emu: Emu, tmp_path: Path) -> None:
    out, again = tmp_path / "out", tmp_path / "again"
    result = emu("compile", DIGITS, "-o", out, "--arch", "isaac", "--cores", 16, "--optimise", "latency", *FEW)
    assert result.exit_code == 0, result.output
    verdict, chosen, beside, by_hand, written = result.stdout.splitlines()
    assert verdict.startswith("optimised for latency: latency of a sample ") and " instead of " in verdict
    assert "; 6 candidates, 0 of them refused, in " in verdict and verdict.endswith(", seed 0, rendezvous")
    assert chosen.startswith("chosen: --duplicate latency") and beside.startswith("beside it: time per sample ")
    assert written.startswith("digits_cnn.onnx -> ") and "check proved" in written
    assert "s, the default: latency of a sample " in result.stderr
    words = shlex.split(by_hand.removeprefix("the same by hand: emu "))
    assert words[words.index("--out") + 1] == str(out) and "--optimise" not in words
    words[words.index("--out") + 1] = str(again)
    assert emu(*words).exit_code == 0
    assert files_of(out) == files_of(again) and open_image(out).manifest == open_image(again).manifest
    assert ", duplicate latency" in emu("info", out).stdout


def test_json_has_all_candidates(emu: Emu, tmp_path: Path) -> None:
    options = ["-o", tmp_path / "out", "--cores", 16, "--optimise", "traffic", *FEW, "--json"]
    result = emu("compile", DIGITS, *options)
    assert result.exit_code == 0 and result.stderr == ""
    search = json.loads(result.stdout)["optimise"]
    assert (search["goal"], search["figure"], search["limit"], search["budget"]) == ("traffic", "byte_hops", 6, None)
    first, *others = search["candidates"]
    assert first["settings"] == {} and first["figures"]["latency_ps"] is None
    best = min((first, *others), key=lambda each: each["figures"]["byte_hops"])
    assert search["best"] == best["number"] and search["settings"] == best["settings"]
    assert search["command"].startswith("emu compile ") and "--arrange traffic" in search["command"]
    again = json.loads(emu("compile", DIGITS, *options).stdout)["optimise"]
    assert [each["settings"] for each in again["candidates"]] == [each["settings"] for each in search["candidates"]]


def test_what_is_given_by_hand_stays(emu: Emu, tmp_path: Path) -> None:
    given = ["--arch", "isaac", "--cores", 16, "--placement", "pack", "--duplicate", "2,1,1,1"]
    result = emu("compile", DIGITS, "-o", tmp_path / "out", *given, "--optimise", "energy", *FEW, "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)["optimise"]
    assert not any({"cores", "placement", "duplicate"} & each["settings"].keys() for each in report["candidates"])
    options = open_image(tmp_path / "out").manifest.options
    assert (options["placement"], options["duplicate"], options["cores"]) == ("pack", "2,1,1,1", "16")


def test_a_default_that_nothing_beats_is_told(emu: Emu, tmp_path: Path) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "a", "--optimise", "traffic", "--candidates", 1, "--cores", 16)
    assert "optimised for traffic: nothing is better than the default, bytes times links " in result.stdout
    assert emu("compile", DIGITS, "-o", tmp_path / "b", "--cores", 16).exit_code == 0
    assert files_of(tmp_path / "a") == files_of(tmp_path / "b")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--optimise", "latency", "-p", "place"], "--optimise cannot search with --pipeline, which names the passes"),
        (["--optimise", "latency", "--host-fallback"], "--optimise cannot search with --host-fallback, which may cut"),
        (["--budget", 3], "--budget is of a search: say by --optimise what for, or leave it out"),
        (["--flow", "credits:2"], "--flow is of a search"),
        (
            ["--optimise", "power", "--cores", 8],
            "peak power is not known: the chip has no tables [timing] and [energy]",
        ),
        (["--optimise", "latency", "--cores", 8], "latency of a sample is not known: the chip has no table [timing]"),
        (["--optimise", "latency", "--emit", "mop"], "--optimise has no effect with --emit mop"),
        (
            ["--duplicate", "many"],
            "'many' is unknown: use one of 'latency', 'throughput', 'greedy', or numbers such as 3,1,2",
        ),
        (["--arrange", "1,x"], "'1,x' is unknown: use one of 'traffic', or numbers such as 3,1,2"),
    ],
)
def test_what_cannot_be_is_refused(emu: Emu, tmp_path: Path, options: list[object], sentence: str) -> None:
    result = emu("compile", DIGITS, "-o", tmp_path / "out", *options)
    assert (result.exit_code, sentence in result.stderr) == (2, True), result.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_replaced_is_refused_before_the_search(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    result = emu("compile", DIGITS, "-o", tmp_path, "--optimise", "traffic")
    assert result.exit_code == 2 and "is not empty and holds no image" in result.stderr
    assert "the default" not in result.stderr


def started(out: Path, *more: object) -> subprocess.Popen[str]:
    """A search without an end, once its default is judged."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from launch.cli import main; main()"
    )
    words = ["compile", DIGITS, "-o", out, "--arch", "isaac", "--optimise", "latency", "--budget", 600, *more]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "the default" in process.stderr.readline()
    return process


def test_ctrl_c_writes_the_best_so_far(tmp_path: Path) -> None:
    process = started(tmp_path / "out")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "(stopped), seed 0" in stdout and "digits_cnn.onnx -> " in stdout
    assert open_image(tmp_path / "out").cores


def test_sigterm_ends_it_and_nothing_is_written(tmp_path: Path) -> None:
    process = started(tmp_path / "out")
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 143 and "error: terminated" in stderr
    assert list(tmp_path.iterdir()) == []
