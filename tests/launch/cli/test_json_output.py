"""--json of every command: one object with the version of its form."""

import json
import re
from pathlib import Path

import click
from commands import DIGITS, Emu
from pimsim_files import CONFIG, PROGRAM

from launch.cli import cli
from launch.cli.root import COMMANDS
from launch.cli.schema import SCHEMA

PAGE = (Path(__file__).parents[3] / "docs" / "json.md").read_text()
SCHEDULES = ("paper", "raptor/cores", "--networks", "lenet5", "--types", "float32", "--cores", "16")
ASM = """arch tiny
input "x" f32[1, 4] at 0x00
output "y" f32[1, 4] at 0x10
core 0 {
  main {
    ld l[0x00], g[0x00], 16
    st g[0x10], l[0x00], 16
    halt
  }
}
"""


def told(emu: Emu, *arguments: object) -> dict[str, object]:
    """The one object on stdout."""
    command, *others = arguments
    result = emu(command, "--json", *others)  # what stands at the end may be another program's
    assert result.exit_code in (0, 2), result.output
    assert result.stdout.count("\n") == 1
    found = json.loads(result.stdout)
    assert found.pop("schema") == SCHEMA
    return found


def test_every_command_has_json_and_its_section_in_the_page() -> None:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, name
        assert f"## emu {name}\n" in PAGE


def fields_of(section: str) -> set[str]:
    """The fields that the page names for a command."""
    text = PAGE.partition(f"## emu {section}\n")[2].partition("\n## ")[0]
    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall("`([^`]+)`", cell)}


def test_fields_are_those_of_the_page(emu: Emu, own_image: Path, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(ASM)
    (tmp_path / "steps").write_text("step\n")
    (tmp_path / "wrong").write_text("stp\n")
    out = tmp_path / "a"
    found = {
        "import": [told(emu, "import", tmp_path / "a.asm", "-o", out), told(emu, "import", "--seal", own_image)],
        "debug": [told(emu, "debug", out, "--script", tmp_path / name) for name in ("steps", "wrong")],
        "export": [
            told(emu, "export", own_image, "-o", tmp_path / "pim"),
            told(emu, "export", "--to", "asm", out),
            told(emu, "export", "--to", "asm", out, "-o", tmp_path / "text"),
            told(emu, "export", "--list"),
            told(emu, "export", "mlp3", "-o", tmp_path / "m.onnx"),
        ],
        "info": [told(emu, "info", own_image)],
        "check": [told(emu, "check", out)],
        "diff": [told(emu, "diff", out, out)],
        "paper": [
            told(emu, "paper"),
            *(figures := told(emu, *SCHEDULES)["figures"] + told(emu, "paper", "raptor/mapping")["figures"]),
            *(row for figure in figures for row in figure["rows"]),
        ],
        "doctor": [told(emu, "doctor", "--cores", 2), told(emu, "doctor", "--clean", tmp_path)],
        "bench": [told(emu, "bench", "--list")],
        "stress": [told(emu, "stress", "ring", "--cores", 2, "--count", 1), told(emu, "stress", "--list")],
        "compile": [
            told(
                emu, "compile", DIGITS, "-o", tmp_path / "c", "--golden", "none", "--dump", tmp_path / "ir", "--report"
            )
        ],
        "opt": [told(emu, "opt", tmp_path / "ir" / "00-import.mlir", "-p", "normalize-gemm")],
        "arch": [told(emu, "arch", "--list"), told(emu, "arch", "tiny"), told(emu, "arch", "isaac", "--sum")],
        "launch": [told(emu, "launch", own_image)],
        "device": [(hosted := told(emu, "device", "--backend", "numpy", "--", "true")), hosted["counters"]],
        "time": [told(emu, "time", PROGRAM, "--arch", CONFIG)],
    }
    for name, objects in found.items():
        keys = {key for each in objects for key in each}
        assert keys <= fields_of(name), (name, keys - fields_of(name))
    assert set(found["time"][0]["cores"][0]) <= fields_of("time")
    report = found["compile"][0]["report"]
    assert {*report, *report["nodes"][0]} <= fields_of("compile")


def test_what_small_commands_say(emu: Emu, tmp_path: Path) -> None:
    (tmp_path / "a.asm").write_text(ASM)
    out = tmp_path / "a"
    assembled = told(emu, "import", tmp_path / "a.asm", "-o", out)
    assert assembled == {"source": str(tmp_path / "a.asm"), "out": str(out), "cores": 1, "arch": "tiny"}
    assert str(told(emu, "export", "--to", "asm", out, "--core", 0)["text"]).startswith("core 0 {\n")
    written = told(emu, "export", "--to", "asm", out, "-o", tmp_path / "text")
    assert (written["file"], "text" in written) == (str(tmp_path / "text" / "chip.asm"), False)
    assert told(emu, "import", "--seal", out) == {"out": str(out), "changed": 0}
    assert "lenet5" in told(emu, "export", "--list")["networks"]
    network = told(emu, "export", "mlp3", "-o", tmp_path / "m.onnx", "--seed", 3)
    assert network["bytes"] == (tmp_path / "m.onnx").stat().st_size
    assert (network["network"], network["file"], network["seed"]) == ("mlp3", str(tmp_path / "m.onnx"), 3)
    row = told(emu, "bench", "--list")["rows"][0]
    assert set(row) == {"row", "title", "target", "moonshot"} and row["target"]["relation"] in ("<=", ">=")
