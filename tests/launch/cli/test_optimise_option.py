"""`emu compile --optimise`: what is written, told and refused, and what Ctrl-C leaves."""

import json
import shlex
import signal
from pathlib import Path

from commands import DIGITS, Emu
from emu_processes import EmuProcess, EmuProcesses

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


def started(emu_processes: EmuProcesses, out: Path) -> EmuProcess:
    """A search without an end, once its default is judged."""
    words = ("compile", DIGITS, "-o", out, "--arch", "isaac", "--optimise", "latency", "--budget", 600)
    process = emu_processes.start(*words)
    assert "the default" in process.stderr.readline()
    return process


def test_ctrl_c_writes_the_best_so_far(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    process = started(emu_processes, tmp_path / "out")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    assert "(stopped), seed 0" in stdout and "digits_cnn.onnx -> " in stdout
    assert open_image(tmp_path / "out").cores


def test_sigterm_ends_it_and_nothing_is_written(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    process = started(emu_processes, tmp_path / "out")
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 143 and "error: terminated" in stderr
    assert list(tmp_path.iterdir()) == []
