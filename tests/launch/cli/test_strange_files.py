"""Commands meet FIFOs, devices and directories where files should be: one sentence, exit code 2, and no waiting."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import DIGITS
from emu_processes import EmuProcesses

Told = Callable[..., str]
KINDS = {"fifo": "is a FIFO (a named pipe)", "zero": "is a character device", "directory": "is a directory"}


def place(path: Path, kind: str) -> Path:
    """Something strange where a file was."""
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    return path


@pytest.fixture
def told(emu_processes: EmuProcesses) -> Told:
    """The sentence of a command, which must refuse; in a process of its own, where it could wait or read for ever."""

    def run(*arguments: object) -> str:
        done = emu_processes.run(*arguments)
        lines = done.stderr.splitlines()
        assert done.returncode == 2 and len(lines) == 1 and lines[0].startswith("error: "), done
        return lines[0]

    return run


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "command", [["info"], ["check"], ["import", "--seal"], ["export", "--to", "asm"], ["launch", "--golden", "none"]]
)
def test_a_file_of_an_image(told: Told, own_image: Path, command: list[str], kind: str) -> None:
    place(own_image / "core_0000.prog", kind)
    sentence = told(*command, own_image)
    assert f"core_0000.prog {KINDS[kind]}: only regular files are read" in sentence


@pytest.mark.parametrize("kind", KINDS)
def test_a_manifest(told: Told, own_image: Path, kind: str) -> None:
    place(own_image / "manifest.json", kind)
    assert f"manifest.json {KINDS[kind]}" in told("info", own_image)


def test_an_image_is_not_written_over_a_fifo(told: Told, own_image: Path) -> None:
    place(own_image / "manifest.json", "fifo")
    assert "holds no image: it is not overwritten" in told("compile", DIGITS, "-o", own_image, "--golden", "none")


@pytest.mark.parametrize("kind", ["fifo", pytest.param("zero", marks=pytest.mark.full)])
def test_files_that_are_given(told: Told, tmp_path: Path, own_image: Path, kind: str) -> None:
    strange, words = place(tmp_path / "strange", kind), KINDS[kind]
    for command in (
        ("launch", own_image, "--input", strange),
        ("launch", own_image, "--model", strange),
        ("compile", strange, "-o", tmp_path / "out"),
        ("compile", DIGITS, "--arch", strange, "-o", tmp_path / "out"),
        ("compile", DIGITS, "--from", strange, "-o", tmp_path / "out"),
        ("opt", strange),
        ("import", strange, "-o", tmp_path / "out"),
        ("validate", strange),
    ):
        assert f"strange {words}" in told(*command), command
    assert "nor an existing .npz file" in told("launch", own_image, "--golden", strange)
    assert not (tmp_path / "out").exists()
