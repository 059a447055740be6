"""The references of commands and Python name all that there is, and only that."""

import importlib
import inspect
import re

import click
import pytest
from command_reference import command_reference
from snippets import ROOT

import compiler
import launch
from launch.cli import cli
from launch.cli.root import COMMANDS

NAMES = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "python.md").read_text("utf-8"), re.MULTILINE)


def named(path):
    """A module, or what one has by that name."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name)


@pytest.mark.parametrize("path", NAMES)
def test_a_name_of_the_python_reference_exists_and_is_explained(path):
    thing = named(path)
    assert inspect.getdoc(thing)
    assert getattr(thing, "__module__", path).split(".")[0] == path.split(".")[0]


def test_the_python_reference_has_all_that_the_packages_offer():
    listed = [named(path) for path in NAMES]
    offered = [getattr(package, name) for package in (compiler, launch) for name in package.__all__]
    assert len(offered) >= 6 and all(any(thing is one for one in listed) for thing in offered)


def test_every_command_and_option_is_on_the_page():
    page, context = command_reference(), click.Context(cli)
    for name in COMMANDS:
        section = page.split(f"## emu {name}\n")[1].split("\n## ")[0]
        for option in cli.get_command(context, name).params:
            if isinstance(option, click.Option) and option.name not in ("help", "debug") and not option.hidden:
                assert all(flag in section for flag in (*option.opts, *option.secondary_opts)), (name, option.opts)


def test_nothing_of_a_help_is_taken_for_markup():
    plain = re.sub(r"```.*?```|`[^`]*`", "", command_reference(), flags=re.DOTALL)
    assert not re.search(r"(?<!\\)[<>*_]", plain)
