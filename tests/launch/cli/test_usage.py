"""What the command line says about itself and about mistakes in its use."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from commands import DIGITS, Emu

from launch.cli import cli
from launch.cli.root import COMMANDS

CONTEXT = click.Context(cli)


def test_every_summary_fits_on_its_line() -> None:
    """On a terminal of 80 columns."""
    done = subprocess.run([sys.executable, "-m", "launch", "--help"], capture_output=True, text=True, check=True)
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", done.stdout, re.MULTILINE)[1].splitlines()
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert all(len(line) <= 80 and line.endswith(".") and not line.endswith("...") for line in listed)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["comple"], "compile"),
        (["LAUNCH"], "launch"),
        (["zoo", "Lenet5"], "lenet5"),
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
        (["faults", "--cores", "1"], "'--cores': 1 is too small: give 2 or more"),
        (["stress", "ring", "--rate", "fast"], "'--rate': 'fast' is no number"),
        (["stress", "ring", "--rate", "0"], "'--rate': 0 is too small: give more than 0"),
        (["launch", ".", "--tolerance", "-1"], "'--tolerance': -1 is too small: give 0 or more"),
        (["launch", ".", "--tolerance", "inf"], "'--tolerance': 'inf' is no finite number"),
        (["launch", ".", "--input", "none.npz"], "'none.npz' is no existing file: give FILE.npz, NAME=1,2,3 or"),
        (["stress", "ring", "--all"], "ring and --all exclude each other: give one of them"),
        (["stress", "--list", "--all"], "--all and --list exclude each other"),
        (["zoo", "--list", "lenet5"], "--list lists all networks and writes none: leave NAME out"),
        (["zoo", "--list", "-o", "x.onnx"], "--list lists all networks and writes none: leave -o out"),
        (["zoo", "--list", "--seed", "0"], "--list lists all networks and writes none: leave --seed out"),
        (["zoo", "--list", "--quantize", "qdq"], "--list lists all networks and writes none: leave --quantize out"),
        (["bench", "--list", "--runs", "3"], "--list lists all rows and measures none: leave --runs out"),
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


@pytest.mark.parametrize("name", ["compile", "assemble", "zoo", "disasm"])
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
    assert emu("assemble", tmp_path / "a.asm", "-o", out).stdout.endswith(": 1 core, architecture tiny\n")
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
    emu("assemble", tmp_path / "a.asm", "-o", tmp_path / "out")
    told = emu("check", tmp_path / "out").stdout
    assert "message 1 from core 0 is never sent: core 0 sends 1 message to core 1, which receives 2" in told
    assert "limit" not in told
