"""Code blocks of the documentation, found by Sybil, each to be run by itself in a directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser

ROOT = Path(__file__).parents[2]


def blocks(language: str, run: Callable[[Example], None], *pages: Path) -> list[Any]:
    """The examples in `language` of `pages`, as parameters of a test; `run` gets those that are evaluated."""
    sybil = Sybil(parsers=[CodeBlockParser(language=language, evaluator=run)], path=str(ROOT))
    return [
        pytest.param(example, id=f"{page.stem}-line{example.line}")
        for page in pages
        for example in sybil.parse(page).examples()
    ]


def run_in(folder: Path, command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder`; it must end with exit code 0."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done


def run_python(example: Example) -> None:
    """Run Python in a fresh interpreter, in the directory `folder` of the example's names; it must print something."""
    folder = example.namespace["folder"]
    (folder / "snippet.py").write_text(example.parsed, "utf-8")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    assert run_in(folder, [sys.executable, "snippet.py"], {**os.environ, "PYTHONPATH": path}).stdout
