"""Lines for people: colour and breaks on a terminal only."""

import io
import os
import pty
from pathlib import Path

import pytest
from commands import Emu
from emu_processes import EmuProcesses

from launch.cli import lines
from launch.cli.lines import in_colour, say

GREEN_PASS = "\x1b[32m\x1b[1mPASS\x1b[0m"
LONG = "PASS  output: " + "max|diff| 5.72e-06, argmax-of-all 450/450; worst at [8, 0, 9]: -19.35177, golden -19.35177"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")


def said(monkeypatch: pytest.MonkeyPatch, text: str, stream: io.StringIO) -> str:
    monkeypatch.setattr(lines.sys, "stdout", stream)
    say(text)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("variables", "terminal", "coloured"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_where_there_is_colour(
    variables: dict[str, str], terminal: bool, coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert in_colour(Terminal() if terminal else io.StringIO()) is coloured


def test_a_closed_stream_has_no_colour() -> None:
    assert not in_colour(None)


def test_long_lines_break_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = said(monkeypatch, LONG, Terminal()).splitlines()
    assert shown[0].startswith(f"{GREEN_PASS}  output: ")
    plain = [line.replace(GREEN_PASS, "PASS") for line in shown]
    assert all(len(line) <= 60 for line in plain) and len(plain) > 1
    assert " ".join(line.strip() for line in plain) == LONG


def test_pipes_get_the_line_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, LONG, io.StringIO()) == f"{LONG}\n"


@pytest.mark.parametrize("text", ["errors: 0", "passed", "ready-made", "proved_by", "x: FAIL"])
def test_only_whole_first_words_have_a_colour(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, text, Terminal()) == f"{text}\n"


def test_json_is_never_coloured(emu: Emu, digits_image: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    for arguments in (("doctor", "--cores", 2), ("check", digits_image)):
        assert "\x1b" not in emu(*arguments, "--json").stdout
        assert "\x1b" in emu(*arguments).stdout
    assert "\x1b[32mproved" in emu("check", digits_image).stdout  # on any machine; a doctor may have warnings
    assert emu("export", "x").stderr.startswith("\x1b[31m\x1b[1merror\x1b[0m: there is no built-in network")


def test_errors_on_a_real_terminal(emu_processes: EmuProcesses) -> None:
    ours, theirs = pty.openpty()
    done = emu_processes.run("export", "x", stderr=theirs)
    os.close(theirs)
    told = os.read(ours, 4096).decode()
    os.close(ours)
    assert done.returncode == 2
    assert told.startswith("\x1b[31m\x1b[1merror\x1b[0m: there is no built-in network")
