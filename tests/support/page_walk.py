"""Follows a page as its reader would: writes its files, applies its changes, runs its commands, in one directory.

Code blocks mean, by what stands behind their backticks: `FILE` (`LANGUAGE title="FILE"`) writes a file, `diff` changes
files that are there, `sh` must succeed, `console` must print what stands below its lines `$ ...` (where the page has
`...`, anything), `python` is a program of its own. Other blocks are not run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from snippets import ROOT

_BLOCK = re.compile(
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_PRODUCT = ("emu", "compiler", "launch", "reram_emu.py", "reram_emu_pytest.py", "pyproject.toml", "examples", "docs")
_PRODUCT += ("tests/support",)
_LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_UNKNOWN = ("PYTHONPATH", "EMU_CACHE", "NO_COLOR", "FORCE_COLOR")  # to the reader


@dataclass(frozen=True)
class Block:
    """A code block of a page: its language, the file that it is (empty: none), its text, its first line."""

    language: str
    title: str
    text: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """The code blocks of a page, in order."""
    for found in _BLOCK.finditer(text):
        yield Block(found["language"], found["title"] or "", found["text"], text.count("\n", 0, found.start()) + 1)


def copy_product(folder: Path) -> None:
    """A copy of the product's sources in `folder`, as a checkout has them."""
    folder.mkdir(exist_ok=True)
    for name in _PRODUCT:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copytree(source, target) if source.is_dir() else shutil.copy2(source, target)


def environment(product: Path, bin_folder: Path) -> Mapping[str, str]:
    """Variables under which `emu` and `python` are those of the product in the folder `product`."""
    bin_folder.mkdir()
    start = f"import sys; sys.path.insert(0, {str(product)!r}); from reram_emu import main; main()"
    python = shlex.quote(sys.executable)
    for name, words in (("emu", f"-P -c {shlex.quote(start)}"), ("python", "")):
        (bin_folder / name).write_text(f'#!/bin/sh\nexec {python} {words} "$@"\n')
        (bin_folder / name).chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in _UNKNOWN}
    return {
        **kept,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(product),
        "GIT_CEILING_DIRECTORIES": str(product.parent),  # changes are of these files, whatever repository is around
        "COLUMNS": "160",
    }


def follow(page: Path, folder: Path, variables: Mapping[str, str]) -> int:
    """Do what the blocks of the page say, in `folder`; how many were files, changes or commands."""
    done = 0
    for block in blocks(page.read_text("utf-8")):
        try:
            done += _do(block, folder, variables)
        except AssertionError as error:
            raise AssertionError(f"{page.name}, line {block.line}: {error}") from None
    return done


def _do(block: Block, folder: Path, variables: Mapping[str, str]) -> int:
    if block.title:
        (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
        (folder / block.title).write_text(block.text, "utf-8")
    elif block.language == "diff":
        _run(["git", "apply", "--recount", "-"], folder, variables, block.text)
    elif block.language == "sh":
        _run(["bash", "-euo", "pipefail", "-c", block.text], folder, variables)
    elif block.language == "python":
        _run([sys.executable, "-c", block.text], folder, variables)
    elif block.language == "console":
        _compare(block.text, folder, variables)
    else:
        return 0
    return 1


def _run(command: list[str], folder: Path, variables: Mapping[str, str], text: str = "") -> None:
    done = subprocess.run(command, cwd=folder, env=variables, input=text, capture_output=True, text=True)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


def _compare(text: str, folder: Path, variables: Mapping[str, str]) -> None:
    """Run the lines `$ ...` as one script; all that they print must be like what stands below them."""
    script = "".join(f"{line[2:]}\n" for line in text.splitlines() if line.startswith("$ "))
    wanted = "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("$ "))
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert doctest.OutputChecker().check_output(wanted, done.stdout, _LIKE), (
        f"the page says\n{wanted}\nbut\n{done.stdout}"
    )
