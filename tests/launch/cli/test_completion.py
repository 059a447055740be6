"""Shells complete: commands, options, choices, presets, networks and nodes, without importing what is heavy."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from commands import DIGITS
from emu_processes import EmuProcesses

from emu.arch.read import preset_names
from launch.cli import cli

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "commands.md").read_text()


def completed(*words: str) -> list[str]:
    """What `emu WORDS` may go on with; the last word is the one that is being typed."""
    *before, incomplete = words
    return [item.value for item in ShellComplete(cli, {}, "emu", "_EMU_COMPLETE").get_completions(before, incomplete)]


def test_commands_options_and_choices() -> None:
    assert completed("inf") == ["info"]
    assert completed("compile", "--pack") == ["--packing"]
    assert completed("compile", "--packing", "") == ["dense", "kernel"]
    assert completed("launch", "out", "--engine", "f") == ["fast"]


def test_presets_and_files() -> None:
    assert set(completed("compile", "--arch", "")) >= set(preset_names())
    assert completed("compile", "--arch", "isa") == completed("arch", "isa") == ["isaac", "isaac-board"]
    (file,) = ShellComplete(cli, {}, "emu", "_EMU_COMPLETE").get_completions(["compile", "--arch"], "./ch")
    assert (file.type, file.value) == ("file", "./ch")
    assert "tiny" in completed("validate", "net.onnx", "--arch", "ti")


def test_networks() -> None:
    assert completed("export", "mobile") == ["mobilenet_v2"]
    assert "kernels/mm" in completed("export", "kernels/m")


def test_nodes_of_the_image(digits_image: Path, tmp_path: Path) -> None:
    found = completed("info", str(digits_image), "--node", "node_Conv")
    assert found and all(name.startswith("node_Conv") for name in found)
    assert completed("launch", str(digits_image), "--keep", "node_Conv") == found
    assert completed("info", str(tmp_path), "--node", "") == []
    for text in ("{", "[]", '{"tensors": 5}', "[" * 100000):
        (tmp_path / "manifest.json").write_text(text)
        assert completed("info", str(tmp_path), "--node", "") == []


@pytest.mark.parametrize(
    ("shell", "word"), [("bash", "complete -o nosort"), ("zsh", "#compdef emu"), ("fish", "complete --no-files")]
)
def test_scripts_of_shells(emu_processes: EmuProcesses, shell: str, word: str) -> None:
    script = emu_processes.run(env={"_EMU_COMPLETE": f"{shell}_source"})
    assert script.returncode == 0 and word in script.stdout
    assert f"_EMU_COMPLETE={shell}_source emu" in PAGE


def test_what_is_heavy_is_not_imported() -> None:
    code = (
        "import sys\nfrom launch.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print(sorted({'numpy', 'onnx', 'rich'} & set(sys.modules)))"
    )
    words = {"_EMU_COMPLETE": "bash_complete", "COMP_WORDS": "emu export res", "COMP_CWORD": "2"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | words, capture_output=True, text=True, timeout=100, check=True
    )
    assert "plain,resnet18\n" in ran.stdout and ran.stdout.endswith("[]\n")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path: Path) -> None:
    emu = tmp_path / "emu"
    emu.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from launch.cli import main; main()' \"$@\"\n")
    emu.chmod(0o755)
    script = 'eval "$(_EMU_COMPLETE=bash_source emu)"; COMP_WORDS=(emu compile --arch isa); COMP_CWORD=3\n'
    script += '_emu_completion emu; echo "${COMPREPLY[@]}"'
    ran = subprocess.run(
        ["bash", "--norc", "-c", script],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        cwd=DIGITS.parent,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert ran.stdout.split() == ["isaac", "isaac-board"]
