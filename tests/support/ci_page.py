"""The commands of docs/ci.md, and a repository in which they run: networks, check.sh, a copy of this project."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import onnx
from snippets import ROOT, blocks, run_in
from sybil import Example

from launch.zoo import build

PAGE = ROOT / "docs" / "ci.md"
NETS = ("lenet5", "mlp3")
_UNKNOWN = ("PYTHONPATH", "EMU_CACHE", "OUT", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY")  # to the repository
_STEP = re.compile(
    r"^(?P<indent> *)(?:run: (?:\|\n(?P<block>(?:(?P=indent) +.*\n)+)|(?P<line>.+))"
    r"|script:\n(?P<items>(?:(?P=indent) +- .*\n)+))",
    re.MULTILINE,
)
COPIED = ("emu", "compiler", "launch", "reram_emu.py", "pyproject.toml", "requirements.lock", "README.md", "LICENSE")


def run_shell(example: Example) -> None:
    """Run a block of shell in the directory `folder`, with the variables `environment`."""
    folder, environment = example.namespace["folder"], example.namespace["environment"]
    example.namespace["done"] = run_in(folder, ["sh", "-eu", "-c", example.parsed], environment)


def blocks_of(language: str) -> list[Example]:
    """All blocks in `language` of the page, in order."""
    return [param.values[0] for param in blocks(language, run_shell, PAGE)]


def block_with(language: str, words: str) -> Example:
    """The one block that holds `words`."""
    (found,) = [example for example in blocks_of(language) if words in example.parsed]
    return found


def steps(workflow: str) -> list[str]:
    """The shell commands of a workflow, in order: those of each `run:`, or each of the list `script:`."""
    found = []
    for match in _STEP.finditer(workflow):
        if match["items"]:
            found += re.findall(r"^ *- (.+)$", match["items"], re.MULTILINE)
        else:
            found.append(textwrap.dedent(match["block"] or match["line"]))
    return found


def make_repository(folder: Path) -> None:
    """What the page takes as given, readable by everybody."""
    (folder / "nets").mkdir(parents=True)
    for name in NETS:
        onnx.save(build(name), folder / "nets" / f"{name}.onnx")
    for name in COPIED:
        source, target = ROOT / name, folder / "emu" / name
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source, target)
    (folder / "check.sh").write_text(block_with("sh", "emu doctor").parsed)
    (folder / "suite.toml").write_text(block_with("toml", "[[case]]").parsed)


def with_command(folder: Path, bin_folder: Path) -> Mapping[str, str]:
    """Variables under which `emu` is the one of the repository in `folder`."""
    bin_folder.mkdir()
    start = f"import sys; sys.path.insert(0, {str(folder / 'emu')!r}); from reram_emu import main; main()"
    (bin_folder / "emu").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -c {shlex.quote(start)} "$@"\n')
    (bin_folder / "emu").chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in _UNKNOWN}
    return {**kept, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
