"""What the command line says about itself and about mistakes in its use."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import Emu

from launch.cli import cli
from launch.cli.root import COMMANDS

CONTEXT = click.Context(cli)


def test_every_summary_fits_on_its_line() -> None:
    """On a terminal of 80 columns."""
    done = subprocess.run([sys.executable, "-m", "launch", "--help"], capture_output=True, text=True, check=True)
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", done.stdout, re.MULTILINE)[1].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert all(len(line) <= 80 and line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize("name", ["compile", "assemble", "zoo", "disasm"])
def test_what_is_written_has_one_name(name: str) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    assert ["-o", "--out", "--output"] in [parameter.opts for parameter in command.params]


def test_timeouts_say_their_default(emu: Emu) -> None:
    for name in ("launch", "validate"):
        assert "given up (default: 600; 0: no limit)" in " ".join(emu(name, "--help").stdout.split())
    assert "given up (default: 120; 0: no limit)" in " ".join(emu("stress", "--help").stdout.split())


def test_one_is_singular(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text("arch tiny\ncore 0 { main { halt } }\n")
    out = tmp_path / "out"
    assert emu("assemble", tmp_path / "a.asm", "-o", out).stdout.endswith(": 1 core, architecture tiny\n")
    assert emu("launch", out, "--golden", "none").stdout.startswith("1 core process (1 holds a program) over ")
    assert emu("launch", out, "--sequential", "--golden", "none").stdout.startswith("1 program in one process, ")
    assert f"{out}: 1 core, all proved" in emu("check", out).stdout
    assert emu("doctor", "--cores", 1).stdout.endswith("ready for 1 core process\n")
