"""The page of published schedules: its smallest figure made anew, and how the page is renewed."""

import shlex

import schedule_tables
from click.testing import CliRunner

from launch.cli import cli
from launch.schedules.experiments import EXPERIMENTS

TEXT = schedule_tables.PAGE.read_text("utf-8")
BLOCKS = {found[1]: found[2] for found in schedule_tables.BLOCK.finditer(TEXT)}


def without_time(printed):
    """The lines but for that of this machine's time."""
    return [line for line in printed.splitlines() if not line.startswith("compiled and timed in ")]


def test_the_small_figure_is_what_the_command_prints_now():
    (command,) = [command for command in BLOCKS if "lenet5" in command]
    result = CliRunner().invoke(cli, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    assert without_time(result.stdout) == without_time(BLOCKS[command]), "run `make figures`"


def test_every_figure_has_its_command():
    assert all(f"emu schedules {name}" in TEXT for name in EXPERIMENTS)
    assert {command.split()[2] for command in BLOCKS} <= set(EXPERIMENTS)


def test_blocks_are_filled_and_nothing_else_is_touched():
    page = "a\n\n```\n$ emu schedules jia\nold\n```\n\n```\nemu schedules --list\n```\n"
    assert schedule_tables.renewed(page, lambda command: f"{command}!\n") == page.replace("old", "emu schedules jia!")
    assert schedule_tables.renewed(TEXT, BLOCKS.__getitem__) == TEXT
