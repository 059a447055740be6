"""Tests of commands as text, `.test` files: what is typed, and what has to come of it; run in this process by click.

A file says first what it is about. Then:

    --- two.asm                   a file of the lines until the next of these stands in the folder of each case (below a
                                  case: of that one)
    PREPARE: emu import two.asm -o two
                                  is run once, in the folder %{here}, which the cases read and do not change
    === a name                    a case, which is one test; it begins in a folder of its own, with those files alone
    RUN: emu info two.asm -v      what is typed; `NAME=value` before it, `< file` and `> file` behind it are as in a
                                  shell; `cat FILE`, `ls FOLDER`, `cp FROM TO` are there, too, and `edit FILE
                                  STATEMENT`: of Python, with the arrays of an .npz or .npy file, or `text`
    CHECK: 2 cores                what stdout must say, in the directives of FileCheck (-NEXT, -NOT, -SAME, -DAG, ...)
    ERR: warning: careful         what stderr must say; without such a line nothing at all
    EXIT: 3                       the exit code, if it is not 0
    THAT: cores[0].executed == 11 an expression of Python that must be true: of the fields of the answer if --json is
                                  typed (all of it is `answer`), of stdout and stderr, and of what `tools` below offers
    LET: first = outputs          a name for later expressions
    emu info --core 77 -> core 77 holds no program
                                  a refusal: exit code 2, nothing on stdout, on stderr one sentence with these words
                                  (parts of it between ` ... `), and no file made

Lines that begin with `#` are comments. %{name} is a prepared input of the table in `prepared.py`, made once and read
only: %{digits}, the example as an image; %{model} and %{samples}, its network and its inputs.

A command's tests stand in tests/launch/cli/COMMAND.test, its refusals in one case of that file. What takes a process
(signals, pipes, terminals) is a test in Python with the fixture `emu_processes`; each command of the table in
`launch.cli.root` is run as a process by test_processes.py, without any file here.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from filecheck_item import Failed, check_output
from prepared import Prepared

from emu.image.npz import read_npz, write_npz
from launch.cli import cli

DIRECTIVE = re.compile(r"(RUN|PREPARE|EXIT|THAT|LET|(?:CHECK|ERR)[A-Z0-9-]*): ?(.*)")
REFUSAL = re.compile(r"""((?:\w+=(?:"[^"]*"|\S*) )*emu\b.*?) -> (.*)""")
NAME = re.compile(r"%\{(\w+)\}")
VARIABLE = re.compile(r"(\w+)=(.*)", re.DOTALL)
LONGEST = 3000  # letters of an output that a failure shows
COLOURS = ("NO_COLOR", "FORCE_COLOR")


@dataclass
class Step:
    """A line that is typed, or refused, and what is said of it: (line number, directive, text)."""

    number: int
    words: str
    refusal: str | None = None
    checks: list[tuple[int, str, str]] = field(default_factory=list)


@dataclass
class Part:
    """A case, or what stands before the first one: files by name, and steps in their order."""

    name: str
    number: int
    files: dict[str, str] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


def parsed(text: str) -> list[Part]:
    """What stands before the first case, and all cases; raises Failed."""
    parts, file = [Part("", 1)], None
    for number, line in enumerate(text.splitlines(), 1):
        part = parts[-1]
        if line.startswith("=== "):
            parts.append(Part(line[4:].strip(), number))
            file = None
        elif line.startswith("--- "):
            file = line[4:].strip()
            part.files[file] = ""
        elif found := DIRECTIVE.match(line):
            file = None
            name, rest = found.groups()
            if name in ("RUN", "PREPARE"):
                part.steps.append(Step(number, rest))
            elif part.steps:
                part.steps[-1].checks.append((number, name, rest))
            else:
                raise Failed(f"line {number}: {name} is of no RUN")
        elif refusal := REFUSAL.fullmatch(line):  # which ends a file, as all that is typed does
            file = None
            part.steps.append(Step(number, *refusal.groups()))
        elif file is not None:
            part.files[file] += f"{line}\n"
        elif line.strip() and not line.startswith("#") and part.name:
            raise Failed(f"line {number}: {line!r} is nothing that stands in a case")
    return parts


class CommandFile(pytest.File):
    """A `.test` file: its cases are tests with the fixtures of all others."""

    def collect(self):
        head, *cases = parsed(self.path.read_text("utf-8"))
        assert cases, f"{self.path} has no case"
        for case in cases:

            def run(prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case=case) -> None:
                here = prepared.of_file(self.path, lambda folder: run_steps(head, [head], folder, prepared, {}))
                monkeypatch.chdir(tmp_path)
                for name in COLOURS:
                    monkeypatch.delenv(name, raising=False)
                run_steps(case, [head, case], tmp_path, prepared, {"here": str(here)})

            yield Case.from_parent(self, name=case.name, callobj=run)


class Case(pytest.Function):
    """One case; what a person should see of a failure is its line and what was said."""

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, Failed):
            return f"{self.path}: {excinfo.value}"
        return super().repr_failure(excinfo)


def run_steps(part: Part, files: list[Part], folder: Path, prepared: Prepared, names: Mapping[str, str]) -> None:
    """Carry out the steps of a part in a folder; raises Failed."""
    for each in files:
        for name, content in each.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(content)

    def filled(text: str) -> str:
        return NAME.sub(lambda found: names.get(found[1]) or str(prepared[found[1]]), text)

    known: dict[str, Any] = {}
    for step in part.steps:
        before = made(folder)
        result = typed(filled(step.words), folder)
        try:
            if step.refusal is not None:
                check_refusal(result, filled(step.refusal))
                assert made(folder) == before, f"files: {sorted(made(folder) ^ before)}"
            else:
                checks = [(number, name, filled(text)) for number, name, text in step.checks]
                check_step(result, checks, folder, known)
        except Exception as error:
            told = f"exit code {result.exit_code}\n{result.stdout[:LONGEST]}\n{result.stderr[:LONGEST]}"
            raise Failed(f"line {step.number}: {filled(step.words)}\n{error or repr(error)}\n{told}") from error
        finally:
            prepared.check_unchanged()


def made(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def typed(line: str, folder: Path) -> Result:
    """What comes of a line, in this process."""
    words = shlex.split(line)
    variables = {}
    while found := VARIABLE.fullmatch(words[0]):
        variables[found[1]] = found[2]
        del words[0]
    given = target = None
    if "<" in words:
        at = words.index("<")
        given = (folder / words[at + 1]).read_bytes()
        del words[at : at + 2]
    if ">" in words:
        at = words.index(">")
        target = folder / words[at + 1]
        del words[at : at + 2]
    name, *arguments = words
    if name == "edit":
        edit(folder / arguments[0], line.split(None, 2)[2])
        return said("")
    if name != "emu":
        return TOOLS[name](*(folder / argument for argument in arguments))
    before, place = dict(os.environ), Path.cwd()
    os.chdir(folder)
    try:
        result = CliRunner(env=variables).invoke(cli, arguments, input=given, prog_name="emu")
    finally:
        os.chdir(place)
    assert dict(os.environ) == before, "the command has changed the environment"
    if target is not None:
        target.write_bytes(result.stdout_bytes)
    return result


def said(text: str) -> Result:
    """The result of a tool that is no command of ours."""
    return Result(CliRunner(), text.encode(), b"", text.encode(), None, 0, None)


def copied(source: Path, target: Path) -> str:
    (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return ""


def edit(path: Path, statement: str) -> None:
    """Change the arrays of an .npz file, the one of an .npy file, or a text."""
    values: dict[str, Any] = {"np": np}
    if path.suffix == ".npz" and path.exists():
        values |= {name: array.copy() for name, array in read_npz(path).items()}
    elif path.suffix not in (".npz", ".npy"):
        values["text"] = path.read_text("utf-8")
    exec(statement, values)
    arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
    if path.suffix == ".npz":
        write_npz(path, arrays)
    elif path.suffix == ".npy":
        (array,) = arrays.values()
        np.save(path, array)
    else:
        text = values["text"]
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


TOOLS: dict[str, Callable[..., Result]] = {
    "cat": lambda path: said(path.read_text("utf-8")),
    "ls": lambda path: said("".join(f"{name}\n" for name in sorted(os.listdir(path)))),  # noqa: PTH208
    "cp": lambda source, target: said(copied(source, target)),
}


def check_refusal(result: Result, sentence: str) -> None:
    assert (result.exit_code, result.stdout) == (2, ""), "is no refusal"
    assert result.stderr.startswith("error: ") and result.stderr.count("\n") == 1, "is not one sentence"
    at = 0
    for part in sentence.split(" ... "):
        found = result.stderr.find(part, at)
        assert found >= 0, f"does not say {part!r}"
        at = found + len(part)


def check_step(result: Result, checks: list[tuple[int, str, str]], folder: Path, known: dict[str, Any]) -> None:
    """Whether all is as the lines below a RUN say; raises Failed or AssertionError."""
    code = next((int(text) for _, name, text in checks if name == "EXIT"), 0)
    assert result.exit_code == code, f"exit code {result.exit_code}, not {code}: {result.exception!r}"
    assert "Traceback" not in result.stderr
    for prefix, output in (("CHECK", result.stdout), ("ERR", result.stderr)):
        lines = [(number, f"{name}: {text}") for number, name, text in checks if name.startswith(prefix)]
        if lines:
            check_output(lines, prefix, output)
        else:
            assert prefix == "CHECK" or not output, "stderr says something: what, is to be said by ERR lines"
    fields = Fields(json.loads(result.stdout, object_hook=Fields)) if result.stdout.startswith("{") else Fields()
    values = {**tools(folder), "stdout": result.stdout, "stderr": result.stderr, "answer": fields, **fields}

    def value_of(expression: str) -> Any:
        try:
            return eval(expression, values | known)
        except Exception as error:
            raise Failed(f"line {number}: {type(error).__name__}: {error} in {expression}") from error

    for number, kind, text in checks:
        if kind == "THAT":
            assert eval(text, values | known), f"line {number}: is not true: {text}"
        elif kind == "LET":
            name, _, expression = text.partition(" = ")
            known[name] = eval(expression, values | known)


def tools(folder: Path) -> dict[str, Any]:
    """What expressions may use beside the answer."""
    return {
        "csv": csv,
        "np": np,
        "json": json,
        "re": re,
        "npz": lambda name: read_npz(folder / name),
        "sha256": lambda content: hashlib.sha256(content).hexdigest(),
        "text": lambda name: (folder / name).read_text("utf-8"),
        "content": lambda name: (folder / name).read_bytes(),
        "files": lambda name=".": sorted(os.listdir(folder / name)),  # noqa: PTH208
    }


class Fields(dict):
    """An object of JSON, whose fields are attributes, too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no field {name}: there are {', '.join(self)}") from None
