"""-q and -v: the verdict alone, and all that is known of a run."""

import hashlib
import json
import re
from pathlib import Path

from commands import DIGITS, Emu


def test_quiet_is_the_verdict_alone(emu: Emu, digits_image: Path) -> None:
    done, quiet = emu("launch", digits_image), emu("launch", digits_image, "-q")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert quiet.stdout.splitlines() == done.stdout.splitlines()[-2:]
    assert quiet.stdout.splitlines()[1].startswith("PASS  out0: ")


def test_quiet_shows_kept_tensors_that_are_wrong(emu: Emu, digits_image: Path) -> None:
    kept = ("launch", digits_image, "-q", "--sequential", "--model", DIGITS, "--keep", "all")
    assert "node" not in emu(*kept).stdout
    wrong = emu(*kept, "--tolerance", "1e-30")
    assert wrong.exit_code == 1 and "intermediate tensors" in wrong.stdout and "processes" not in wrong.stdout


def test_quiet_runs_still_tell_errors(emu: Emu, digits_image: Path) -> None:
    done = emu("launch", digits_image, "-q", "--cores", 1)
    assert done.exit_code == 2 and done.stdout == "" and done.stderr.startswith("error: --cores 1 does not fit")


def test_verbose_tells_what_is_run(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    plain = emu("launch", digits_image, "--timeout", 100)
    done = emu("launch", digits_image, "-v", "--timeout", 100, "--log-dir", tmp_path)
    assert done.exit_code == 0 and [line[:20] for line in done.stdout.splitlines()[2:]] == [
        line[:20] for line in plain.stdout.splitlines()[2:]
    ]
    told = done.stderr
    assert told.startswith("emu, version ") and ", onnxruntime " in told
    digest = hashlib.sha256((digits_image / "manifest.json").read_bytes()).hexdigest()
    assert f"image {digits_image}, manifest sha256 {digest}\n" in told
    assert f"model main_graph, sha256 {hashlib.sha256(DIGITS.read_bytes()).hexdigest()}\n" in told
    assert "inputs stored in the image, seed 0, sha256 " in told and "timeout 100.0" in told
    cores = [
        line for line in told.splitlines() if re.fullmatch(r"core \d+: process \d+, started \d+\.\d\d s ago", line)
    ]
    assert f"{len(cores)} core processes" in done.stdout
    assert re.search(r"^times: check, .* s, start .* s, run .* s, end and comparison .* s$", told, re.MULTILINE)
    assert told.endswith(f"logs: {tmp_path}, all of them in all.log\n")


def test_verbose_leaves_json_alone(emu: Emu, digits_image: Path) -> None:
    done = emu("launch", digits_image, "-v", "--json", "--sequential")
    assert json.loads(done.stdout)["exit_code"] == 0
    assert "times: " in done.stderr and "process" not in done.stderr.replace("processes", "")


def test_quiet_and_verbose_exclude_each_other(emu: Emu, digits_image: Path) -> None:
    done = emu("launch", digits_image, "-q", "-v")
    assert (done.exit_code, done.stdout) == (2, "") and "--verbose has no effect with --quiet" in done.stderr
