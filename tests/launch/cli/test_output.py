"""Standard output that cannot be written is exit code 2 with its name; standard error that cannot changes nothing."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from commands import DIGITS, Emu

MAIN = "from launch.cli import main; main()"
SENTENCE = "error: standard output cannot be written: "
NO_SPACE = "No space left on device"
COMMANDS = {
    "launch": ["--sequential"],
    "check": [],
    "info": [],
    "export": ["--to", "asm"],
    "import": ["--seal"],
    "doctor": ["--cores", "2"],
    "bench": ["--list"],
    "stress": ["--list"],
    "compile": [str(DIGITS), "--until", "onnx"],
    "opt": ["--list-passes"],
    "--help": [],
    "--version": [],
}
WITH_JSON = ("launch", "check", "info", "doctor", "stress", "compile")
TAKES_IMAGE = ("launch", "check", "info", "export", "import")


def run(arguments: list[str], redirection: str = "", **options) -> subprocess.CompletedProcess[str]:
    command = f'"$0" -c "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, MAIN, *arguments], stderr=subprocess.PIPE, text=True, **options
    )


def arguments_of(command: str, image: Path) -> list[str]:
    return [command, *([str(image)] if command in TAKES_IMAGE else []), *COMMANDS[command]]


@pytest.mark.few(5)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_named(command: str, own_image: Path) -> None:
    arguments = arguments_of(command, own_image)
    for words in [arguments, [*arguments, "--json"]] if command in WITH_JSON else [arguments]:
        done = run(words, ">/dev/full")
        assert done.returncode == 2
        assert done.stderr.startswith(f"{SENTENCE}{NO_SPACE}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize("redirection", [">&-", "1</dev/null"])
@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_a_closed_stdout_is_named(redirection: str, json_too: list[str], digits_image: Path) -> None:
    done = run(["info", str(digits_image), *json_too], redirection)
    assert done.returncode == 2 and done.stderr.startswith(SENTENCE) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("json_too", [[], ["--json"]])
def test_a_limited_file_is_named(json_too: list[str], digits_image: Path, tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file:
        done = run(
            ["info", str(digits_image), *json_too],
            stdout=file,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and done.stderr.startswith(f"{SENTENCE}File too large")


@pytest.mark.parametrize("words", [["launch"], ["launch", "no/such/image"], ["launch", "."]])
def test_an_error_keeps_its_code_and_its_sentence_comes_first(words: list[str]) -> None:
    done = run([*words, "--json"], ">/dev/full")
    first, second = done.stderr.splitlines()
    assert done.returncode == 2 and first.startswith("error: ") and second.startswith(f"{SENTENCE}{NO_SPACE}")


@pytest.mark.parametrize("words", [["info"], ["info", "--json"], ["info", "--nonsense"], ["--help"]])
def test_a_reader_that_has_gone_is_no_error_but_a_code(words: list[str], digits_image: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    arguments = [words[0], str(digits_image), *words[1:]] if words[0] == "info" else words
    done = run(arguments, stdout=writer)
    os.close(writer)
    usage = "--nonsense" in words
    assert done.returncode == (2 if usage else 141) and bool(done.stderr) == usage


@pytest.mark.parametrize("redirection", ["2>/dev/full", "2>&-", "2</dev/null"])
def test_stderr_changes_nothing(redirection: str, emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    for words, code in (["info", digits_image, "--json"], 0), (["launch", ".", "--json"], 2):
        done = run([str(word) for word in words], f"{redirection} >{said}")
        assert done.returncode == code
        assert json.loads(said.read_text()) == json.loads(emu(*words).stdout)
