"""The documentation's commands and Python exist: names, options and calls as they are written."""

import ast
import inspect
import re
import shlex
from pathlib import Path

import click

import compiler
import launch
from compiler.evaluation import REFERENCE_WRONG
from launch.chips.chip import Chip
from launch.cli import cli
from launch.cli.root import COMMANDS
from launch.golden.attach import AttachGolden

ROOT = Path(__file__).parent.parent.parent.parent
PAGES = ("README.md", *sorted(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")), "Makefile")
CONTEXT = click.Context(cli)


def command_lines() -> list[str]:
    """Lines `emu ...` of the pages and of every command's help."""
    texts = [(ROOT / page).read_text() for page in PAGES]
    texts += [(cli.get_command(CONTEXT, name) or cli).epilog or "" for name in COMMANDS]
    lines = [line for text in texts for line in re.findall(r"^\s*(?:\$\(BIN\)/)?(emu \w+ .*)$", text, re.MULTILINE)]
    return sorted({part.strip() for line in lines for part in line.split("#")[0].split("&&")})


def test_there_are_examples_of_every_command() -> None:
    assert {line.split()[1] for line in command_lines()} == set(COMMANDS)


def unknown_options(line: str) -> set[str]:
    """What stands in a line as an option and is none."""
    words = shlex.split(line.replace("$(OUT)", "out/x").split(">")[0])[1:]
    words = words[: words.index("--")] if "--" in words else words  # behind it are those of another program
    command = cli.get_command(CONTEXT, words[0])
    assert command is not None, line
    known = {name for parameter in command.params for name in parameter.opts}
    return {word for word in words[1:] if word.startswith("-")} - known


def test_commands_have_these_options() -> None:
    lines = command_lines()
    assert len(lines) > 300
    assert [(line, unknown) for line in lines if (unknown := unknown_options(line))] == []


def test_python_calls_have_these_parameters() -> None:
    functions = {
        "compile": compiler.compile,
        "validate": launch.validate,
        "power_on": launch.power_on,
        "AttachGolden": AttachGolden,
        "run": Chip.run,
        "stream": Chip.stream,
    }
    pages = "".join((ROOT / page).read_text() for page in PAGES)
    for block in re.findall(r"```python\n(.*?)```", pages, re.DOTALL):
        for call in (node for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)
            if name in functions:
                parameters = inspect.signature(functions[name]).parameters
                assert {keyword.arg for keyword in call.keywords} <= set(parameters), ast.unparse(call)


def test_operators_that_the_reference_computes_wrongly_are_named() -> None:
    text = (ROOT / "docs" / "run.md").read_text().split("That is refused")[1].split(". ")[0]
    assert set(re.findall(r"`([A-Za-z]+)`", text)) == set(REFERENCE_WRONG)
    assert set(map(int, re.findall(r"[0-9]+", text))) == {since for since in REFERENCE_WRONG.values() if since}
