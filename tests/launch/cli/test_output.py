"""Standard output that cannot be written is exit code 2 with its name; standard error that cannot changes nothing."""

import json
import os
from pathlib import Path

import pytest
from commands import Emu
from emu_processes import CLOSED, EmuProcesses

SENTENCE = "error: standard output cannot be written: "
FULL = f"{SENTENCE}No space left on device"
JSON_TOO = pytest.mark.parametrize("json_too", [[], ["--json"]], ids=["text", "json"])


@JSON_TOO
def test_a_closed_stdout_is_named(emu_processes: EmuProcesses, json_too: list[str], digits_image: Path) -> None:
    with Path("/dev/null").open() as unwritable:
        for stdout in (CLOSED, unwritable):
            done = emu_processes.run("info", digits_image, *json_too, stdout=stdout)
            assert done.returncode == 2 and done.stderr.startswith(SENTENCE) and done.stderr.count("\n") == 1


@JSON_TOO
def test_a_limited_file_is_named(
    emu_processes: EmuProcesses, json_too: list[str], digits_image: Path, tmp_path: Path
) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))"
    with (tmp_path / "out").open("w") as file:
        done = emu_processes.run("info", digits_image, *json_too, stdout=file, before=limit)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and done.stderr.startswith(f"{SENTENCE}File too large")


@pytest.mark.parametrize("words", [["launch"], ["launch", "no/such/image"], ["launch", "."]], ids=" ".join)
def test_an_error_keeps_its_code_and_its_sentence_comes_first(emu_processes: EmuProcesses, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = emu_processes.run(*words, "--json", stdout=full)
    first, second = done.stderr.splitlines()
    assert done.returncode == 2 and first.startswith("error: ") and second.startswith(FULL)


@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["info", "--nonsense"], ["--help"]], ids=" ".join)
def test_a_reader_that_has_gone_is_no_error_but_a_code(
    emu_processes: EmuProcesses, words: list[str], digits_image: Path
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [words[0], digits_image, *words[1:]] if words[0] == "info" else words
    done = emu_processes.run(*arguments, stdout=writer)
    os.close(writer)
    usage = "--nonsense" in words
    assert done.returncode == (2 if usage else 141) and bool(done.stderr) == usage


def test_stderr_changes_nothing(emu_processes: EmuProcesses, emu: Emu, digits_image: Path) -> None:
    for words, code in (["info", digits_image, "--json"], 0), (["launch", ".", "--json"], 2):
        wanted = json.loads(emu(*words).stdout)
        with Path("/dev/full").open("w") as full, Path("/dev/null").open() as unwritable:
            for stderr in (full, CLOSED, unwritable):
                done = emu_processes.run(*words, stderr=stderr)
                assert (done.returncode, json.loads(done.stdout)) == (code, wanted)
