"""Runs the `// RUN:` lines of `.mlir` files as LLVM's lit does, but `emu` and `filecheck` in this process.

tests/filecheck/README.md says what may stand in such a file.
"""

import contextlib
import io
import json
import re
import shlex
import tempfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser, pattern_for_opts

from emu.image.npz import read_npz, write_npz
from launch.cli import cli

RUN = re.compile(r"^\s*// RUN: (.*)$", re.MULTILINE)
WEIGHTS = re.compile(r"^\s*// WEIGHTS: (\S+) = (.*)$", re.MULTILINE)
CARRIED = re.compile(r"emu\.weights = \[(.*?)\]\]")
PAIR = re.compile(r'\["([^"]*)", "([0-9a-f]{64})"')


class Failed(Exception):
    """What a person should see of a RUN line that failed."""


class MlirFile(pytest.File):
    def collect(self):
        yield MlirTest.from_parent(self, name=self.path.stem)


class MlirTest(pytest.Item):
    def runtest(self):
        with tempfile.TemporaryDirectory() as folder:
            run_file(self.path, Path(folder))

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, 0, self.name


def given_array(value):
    """Numbers, or zeros of a shape such as "2x40x1x1" where only that matters."""
    return (
        np.zeros([int(size) for size in value.split("x")], np.float32)
        if isinstance(value, str)
        else np.array(value, np.float32)
    )


def run_file(path, folder):
    """Run all RUN lines of a file; raises Failed."""
    text = path.read_text()
    lines = RUN.findall(text)
    if not lines:
        raise Failed(f"{path}: has no line // RUN: ...")
    weights = {name: given_array(json.loads(values)) for name, values in WEIGHTS.findall(text)}
    write_npz(folder / "weights.npz", weights)
    for line in lines:
        output = ""
        for command in line.replace("%s", str(path)).replace("%t", str(folder / "made")).split(" | "):
            name, *arguments = shlex.split(command)
            output = COMMANDS[name](arguments, output, folder)


def run_emu(arguments, given, folder):
    """Output of `emu`; `not emu` expects a refusal, whose sentence is the output."""
    if arguments[0] != "opt":
        return answer(arguments, given)
    kept = folder / "kept.npz"
    content = answer([*arguments, "--weights", str(folder / "weights.npz"), "--save-weights", str(kept)], given)
    return content + values(content, read_npz(kept))


def values(content, arrays):
    """The weights that IR names, as comments in alphabetical order."""
    table = CARRIED.search(content)
    pairs = PAIR.findall(table[0]) if table else ()
    return "".join(f"// weights {key} = {json.dumps(arrays[digest].tolist())}\n" for key, digest in pairs)


def answer(arguments, given):
    result = CliRunner().invoke(cli, arguments, input=given)
    if result.exit_code:
        raise Failed(f"emu {' '.join(arguments)}: exit code {result.exit_code}\n{result.stderr}")
    return result.stdout


def run_not(arguments, given, folder):
    """The sentence of a command that must be refused with exit code 2."""
    assert arguments[0] == "emu"
    result = CliRunner().invoke(cli, [*arguments[1:], "--weights", str(folder / "weights.npz")], input=given)
    if result.exit_code != 2 or result.stderr.count("\n") != 1:
        raise Failed(f"{' '.join(arguments)}: exit code {result.exit_code}, not 2 and one sentence\n{result.output}")
    return result.stderr


def run_filecheck(arguments, given, _folder):
    options = parse_argv_options(["filecheck", *arguments])
    with open(options.match_filename, encoding="utf-8") as checks:  # noqa: PTH123
        try:
            match(options, checks, given)
        except Failed as failed:
            raise Failed(f"{failed}\nin:\n{given}") from None
    return ""


def check_output(lines, prefix, output):
    """Compare with directives of FileCheck that begin with `prefix`: pairs of a line's number and itself."""
    text = "".join(f"{line}\n" for _, line in lines)
    options = parse_argv_options(["filecheck", "-", f"--check-prefix={prefix}", "--allow-empty"])
    match(options, io.StringIO(text), output)


def match(options, checks, given):
    """Raises Failed unless the text that is `given` is as the file `checks` says."""
    problems = io.StringIO()
    matcher = Matcher(options, FInput("-", given), Parser(options, checks, *pattern_for_opts(options)))
    matcher.stderr = problems
    with contextlib.redirect_stdout(problems):
        if matcher.run():
            raise Failed(problems.getvalue())


COMMANDS = {"emu": run_emu, "not": run_not, "filecheck": run_filecheck}
