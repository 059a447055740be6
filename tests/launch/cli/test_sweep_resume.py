"""A sweep that is interrupted, killed, and gone on with: the same table, and nothing computed twice."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from commands import DIGITS, Emu
from emu_processes import EmuProcesses

VARY = ("--vary", "timing.window=1..12", "--vary", "crossbar.adc_bits=6,7,8")
PATIENCE = 60


def sweep(emu: Emu, *words: object) -> str:
    result = emu("sweep", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_points_on_file_are_not_computed_again(
    emu: Emu, digits_image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, words = tmp_path / "a.jsonl", (digits_image, "--arch", "puma", "--vary", "timing.window=1,4")
    first = sweep(emu, *words, "--resume", file)
    assert first == sweep(emu, *words)
    kept = file.read_bytes()
    assert [line["values"] for line in lines(file)] == [{"timing.window": "1"}, {"timing.window": "4"}]
    monkeypatch.setattr("launch.sweeps.campaign.FUNCTION", "launch.sweeps.nothing:nothing")  # no case can run
    assert sweep(emu, *words, "--resume", file) == first and file.read_bytes() == kept
    changed = emu("sweep", *words, "--samples", "3", "--resume", file, "--json")
    assert "figures" not in json.loads(changed.stdout)["points"][0] and changed.exit_code != 0
    assert file.read_bytes() == kept


def test_a_file_holds_several_sweeps_and_drops_a_last_line_that_is_not_whole(
    emu: Emu, digits_image: Path, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    one = sweep(emu, digits_image, "--arch", "puma", "--vary", "timing.window=1,4", "--resume", file)
    other = sweep(emu, digits_image, "--arch", "isaac", "--vary", "timing.window=1,4", "--resume", file)
    whole = file.read_text()
    assert len(lines(file)) == 4
    for cut in (1, 40, len(whole.splitlines()[-1])):
        file.write_text(whole[:-cut])
        assert sweep(emu, digits_image, "--arch", "isaac", "--vary", "timing.window=1,4", "--resume", file) == other
        assert sweep(emu, digits_image, "--arch", "puma", "--vary", "timing.window=1,4", "--resume", file) == one
        assert sorted(file.read_text().splitlines()) == sorted(whole.splitlines())


def test_other_programs_have_other_answers(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    file, copy = tmp_path / "a.jsonl", tmp_path / "copy"
    shutil.copytree(digits_image, copy)
    words = ("--arch", "puma", "--vary", "timing.window=1", "--resume", file)
    sweep(emu, digits_image, *words)
    sweep(emu, copy, *words)
    assert len(lines(file)) == 1
    sweep(emu, DIGITS, *words)
    assert emu("compile", DIGITS, "--arch", "puma", "--cores", 32, "-o", tmp_path / "other").exit_code == 0
    sweep(emu, tmp_path / "other", *words)
    assert len(lines(file)) == 3


@pytest.mark.parametrize("content", ["text\n", "{}\n", "[1]\n", '{"point": 1}\n', "text", "\0\xff"])
def test_another_kind_of_file_is_refused_and_stays(emu: Emu, digits_image: Path, tmp_path: Path, content: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(content, "latin-1")
    result = emu("sweep", digits_image, "--arch", "puma", "--vary", "timing.window=1", "--resume", file)
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "no figures of a sweep: name a file that --resume has made, or one that is not there yet" in result.stderr
    assert file.read_text("latin-1") == content


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_ended_early_goes_on_where_it_ended(
    emu: Emu, emu_processes: EmuProcesses, digits_image: Path, tmp_path: Path, end: signal.Signals
) -> None:
    file, words = tmp_path / "a.jsonl", (digits_image, "--arch", "puma", *VARY)
    process = emu_processes.start("sweep", *words, "--resume", file, "--jobs", 1, env={"TMPDIR": str(tmp_path)})
    until = time.monotonic() + PATIENCE
    while not (file.exists() and file.read_bytes().count(b"\n") > 2) and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(end)
    said, _ = process.communicate()
    kept = file.read_bytes()
    assert 2 < kept.count(b"\n") < 36, "it ended before it was ended"
    if end == signal.SIGINT:
        assert "the same command goes on from there" in said and "on the Pareto front" in said
    assert sweep(emu, *words, "--resume", file) == sweep(emu, *words)
    assert file.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1]) and len(lines(file)) == 36


def test_two_sweeps_do_not_write_one_file(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    import fcntl

    file = tmp_path / "a.jsonl"
    held = os.open(file, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = emu("sweep", digits_image, "--arch", "puma", "--vary", "timing.window=1", "--resume", file)
    finally:
        os.close(held)
    assert result.exit_code == 2 and "another sweep is writing this file: wait for it, or name another" in result.stderr
