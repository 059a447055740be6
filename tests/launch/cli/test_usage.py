"""What the command line says about itself and about mistakes in its use."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import DIGITS, Emu

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
    assert len(COMMANDS) <= 22  # that one can learn


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
    assert result.stderr == f"error: `emu {line}` is now `emu {now}`: see cli --help\n"
    assert json.loads(emu(*shlex.split(line), "--json").stdout)["error"].startswith(f"`emu {line}")


def test_every_former_name_leads_to_a_command() -> None:
    for former, now in FORMER.items():
        command = cli.get_command(CONTEXT, now.split()[0])
        assert former.split()[0] not in COMMANDS and command is not None
        assert {word for word in now.split() if word.startswith("-")} <= {o for p in command.params for o in p.opts}


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["comple"], "compile"),
        (["LAUNCH"], "launch"),
        (["export", "Lenet5"], "lenet5"),
        (["stress", "al-to-all"], "all-to-all"),
        (["compile", DIGITS, "-o", "x", "--arch", "smal"], "small"),
        (["compile", DIGITS, "--until", "onnx", "-p", "normalise-gemm"], "normalize-gemm"),
    ],
)
def test_nearly_right_words_are_suggested(emu: Emu, arguments: list[object], meant: str) -> None:
    result = emu(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"did you mean '{meant}'?" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["launch", ".", "--cores", "x"], "'--cores': 'x' is no whole number from 1 on"),
        (["launch", ".", "--seed", "-1"], "'--seed': -1 is too small: give 0 or more"),
        (
            ["stress", "--faults", "--cores", "1"],
            "--cores 1 with --faults: a fault is found by another core, so give 2 or more",
        ),
        (["stress", "ring", "--rate", "fast"], "'--rate': 'fast' is no number"),
        (["stress", "ring", "--rate", "0"], "'--rate': 0 is too small: give more than 0"),
        (["launch", ".", "--tolerance", "-1"], "'--tolerance': -1 is too small: give 0 or more"),
        (["launch", ".", "--tolerance", "inf"], "'--tolerance': 'inf' is no finite number"),
        (["launch", ".", "--input", "none.npz"], "'none.npz' is no existing file: give FILE.npz, NAME=1,2,3 or"),
        (["stress", "ring", "--all"], "ring and --all exclude each other: give one of them"),
        (["stress", "--list", "--all"], "--all and --list exclude each other"),
        (["export", "--list", "lenet5"], "--list lists all networks and writes none: leave OUT out"),
        (["export", "--list", "-o", "x.onnx"], "--list lists all networks and writes none: leave -o out"),
        (["export", "--list", "--seed", "0"], "--list lists all networks and writes none: leave --seed out"),
        (["export", "--list", "--quantize", "qdq"], "--list lists all networks and writes none: leave --quantize out"),
        (["bench", "--list", "--repeat", "3"], "--list lists all rows and measures none: leave --repeat out"),
        (["bench", "--list", "--row", "x", "--quick"], "and measures none: leave --row and --quick out"),
        (["paper", "--list", "--samples", "3"], "--list lists all papers and makes no figure: leave --samples out"),
        (["compile", "--list-passes", "--cores", "3"], "--list-passes lists the passes and runs none: leave --cores"),
        (["opt", "--list-passes", "-p", "a"], "--list-passes lists the passes and runs none: leave -p out"),
        (
            ["compile", DIGITS, "--until", "spat", "-o", "x"],
            "--until prints the IR and writes no programs: leave -o or",
        ),
    ],
)
def test_wrong_use_is_told_in_plain_words(
    emu: Emu, arguments: list[object], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = emu(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["compile", "import", "export"])
def test_what_is_written_has_one_name(name: str) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    assert ["-o", "--out", "--output"] in [parameter.opts for parameter in command.params]


def test_timeouts_say_their_default(emu: Emu) -> None:
    for name in ("launch", "validate"):
        assert "given up (default: 600; 0: no limit)" in " ".join(emu(name, "--help").stdout.split())
    assert "given up (default: 120; 0: no limit)" in " ".join(emu("stress", "--help").stdout.split())


def test_golden_of_launch_lists_numpy(emu: Emu) -> None:
    assert "onnxruntime|reference|numpy|none|FILE.npz" in emu("launch", "--help").stdout


def test_errors_name_the_file_of_an_architecture(emu: Emu, tmp_path: Path) -> None:
    chip = tmp_path / "chip.toml"
    chip.write_text("[chip]\ncores = 2\n[core]\ncrossbars = 1\n[crossbar]\nrows = 8\ncols = 8\n")
    few = emu("compile", DIGITS, "-o", tmp_path / "x", "--arch", chip)
    many = emu("compile", DIGITS, "-o", tmp_path / "x", "--arch", chip, "--cores", 3)
    assert (few.exit_code, many.exit_code) == (2, 2)
    assert f"architecture {chip} (at most 2 cores)" in few.stderr
    assert f"architecture {chip} has 1 to 2 cores" in many.stderr
    chip.write_text("cores = 64\n")
    assert (
        "line 1: key cores stands in no table: write it below [chip]"
        in emu("compile", DIGITS, "-o", tmp_path / "x", "--arch", chip).stderr
    )


def test_one_is_singular(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text("arch tiny\ncore 0 { main { halt } }\n")
    out = tmp_path / "out"
    assert emu("import", tmp_path / "a.asm", "-o", out).stdout.endswith(": 1 core, architecture tiny\n")
    assert emu("launch", out, "--golden", "none").stdout.startswith("1 core process (1 holds a program) over ")
    assert emu("launch", out, "--sequential", "--golden", "none").stdout.startswith("1 program in one process, ")
    assert f"{out}: 1 core, all proved" in emu("check", out).stdout
    assert emu("doctor", "--cores", 1).stdout.endswith("ready for 1 core process\n")


def test_info_explains_its_columns(emu: Emu, digits_image: Path) -> None:
    shown = emu("info", digits_image).stdout
    assert "the body of a loop counted once" in shown
    assert "x hops: every message's bytes times the links of the mesh that it crosses" in shown


def test_a_message_that_is_never_sent_is_counted(emu: Emu, tmp_path: Path) -> None:
    recv = "core 1 { main {\n recv core 0, l[0x00], 4\n recv core 0, l[0x00], 4\n halt\n} }\n"
    send = "core 0 { main {\n lldi l[0x00], 0, 4\n send core 1, l[0x00], 4\n halt\n} }\n"
    (tmp_path / "a.asm").write_text(f"arch tiny\n{send}{recv}")
    emu("import", tmp_path / "a.asm", "-o", tmp_path / "out")
    told = emu("check", tmp_path / "out").stdout
    assert "message 1 from core 0 is never sent: core 0 sends 1 message to core 1, which receives 2" in told
    assert "limit" not in told
