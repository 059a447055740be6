"""The sessions of docs/debugger.md are what the debugger answers."""

import shlex
from pathlib import Path

import debug_page
import pytest
from emu_processes import EmuProcesses


def test_sessions_are_up_to_date(emu_processes: EmuProcesses, tmp_path: Path) -> None:
    def run(folder: Path, line: str) -> str:
        done = emu_processes.run(*shlex.split(line), cwd=folder, env={"HOME": str(folder)})
        assert not done.stderr, done.stderr
        return done.stdout

    debug_page.prepare(tmp_path, run)
    text = debug_page.PAGE.read_text("utf-8")
    assert len(debug_page.SESSION.findall(text)) == 3
    assert text == debug_page.renewed(text, tmp_path, run), "run `make docs`"


@pytest.mark.full
def test_a_session_that_is_not_true_any_more_is_noticed(tmp_path: Path) -> None:
    debug_page.prepare(tmp_path)
    text = debug_page.PAGE.read_text("utf-8")
    stale = text.replace("1 of 2 cores run, 1 wait", "2 of 2 cores run, 0 wait")
    assert stale != text and debug_page.renewed(stale, tmp_path) == text
