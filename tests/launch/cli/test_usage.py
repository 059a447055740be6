"""What the command line says about itself and about mistakes in its use."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import Emu

from launch.cli import cli
from launch.cli.root import COMMANDS, FORMER, SECTIONS

CONTEXT = click.Context(cli)


def test_every_summary_fits_on_its_line() -> None:
    """On a terminal of 80 columns."""
    done = subprocess.run([sys.executable, "-m", "launch", "--help"], capture_output=True, text=True, check=True)
    text, found = done.stdout.partition("  Exit codes:")[0], {}
    for title, lines in re.findall(r"^([A-Z][a-z]+):\n((?:  .*\n)+)", text, re.MULTILINE)[1:]:  # the first are options
        found[title] = lines.splitlines()
    assert {title: [line.split()[0] for line in lines] for title, lines in found.items()} == {
        title: list(section) for title, section in SECTIONS.items()
    }
    assert all(len(line) <= 80 and line.endswith(".") for lines in found.values() for line in lines)
    assert len(COMMANDS) <= 23  # that one can learn


@pytest.mark.parametrize(
    ("line", "now"),
    [
        ("stats out", "info out"),
        ("disasm out/x --core 3", "export --to asm out/x --core 3"),
        ("assemble 'my ring.asm' -o out", "import 'my ring.asm' -o out"),
        ("seal out", "import --seal out"),
        ("zoo resnet18 -o r.onnx", "export resnet18 -o r.onnx"),
        ("mop check a.mop --arch puma", "check a.mop --arch puma"),
        ("mop run a.mop", "launch a.mop"),
        ("mop", "check"),
        ("faults --cores 8", "stress --faults --cores 8"),
        ("clean", "doctor --clean"),
    ],
)
def test_former_names_are_refused_with_the_line_of_today(emu: Emu, line: str, now: str) -> None:
    result = emu(*shlex.split(line))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: `emu {line}` is now `emu {now}`: see emu --help\n"
    assert json.loads(emu(*shlex.split(line), "--json").stdout)["error"].startswith(f"`emu {line}")


def test_every_former_name_leads_to_a_command() -> None:
    for former, now in FORMER.items():
        command = cli.get_command(CONTEXT, now.split()[0])
        assert former.split()[0] not in COMMANDS and command is not None
        assert {word for word in now.split() if word.startswith("-")} <= {o for p in command.params for o in p.opts}


@pytest.mark.parametrize("name", ["compile", "import", "export"])
def test_what_is_written_has_one_name(name: str) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    assert ["-o", "--out", "--output"] in [parameter.opts for parameter in command.params]


def test_timeouts_say_their_default(emu: Emu) -> None:
    for name in ("launch", "validate"):
        assert "(default: 600; 0: no limit)" in " ".join(emu(name, "--help").stdout.split())
    assert "(default: 120; 0: no limit)" in " ".join(emu("stress", "--help").stdout.split())


def test_one_is_singular(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text("arch tiny\ncore 0 { main { halt } }\n")
    out = tmp_path / "out"
    assert emu("import", tmp_path / "a.asm", "-o", out).stdout.endswith(": 1 core, architecture tiny\n")
    assert emu("launch", out, "--golden", "none").stdout.startswith("1 core process (1 holds a program) over ")
    assert emu("launch", out, "--sequential", "--golden", "none").stdout.startswith("1 program in one process, ")
    assert f"{out}: 1 core, all proved" in emu("check", out).stdout
    assert emu("doctor", "--cores", 1).stdout.endswith("ready for 1 core process\n")
