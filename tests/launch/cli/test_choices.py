"""Choices of options are the names in the tables that implement them, and reading them imports nothing of those."""

import subprocess
import sys
from importlib import import_module
from typing import get_args

import pytest

from launch.cli import choices
from launch.cli.choices import TableChoice, names_in

TABLES = sorted({table for each in vars(choices).values() if isinstance(each, TableChoice) for table in each.tables})


@pytest.mark.parametrize("table", TABLES)
def test_the_names_are_those_of_the_table(table: str) -> None:
    module, _, name = table.partition(":")
    imported = getattr(import_module(module), name)
    assert names_in(table) == tuple(imported if isinstance(imported, dict) else get_args(imported) or imported)


def test_a_table_that_is_not_there_is_told() -> None:
    with pytest.raises(LookupError, match=r"^emu\.core\.engines\.core has no table MOTORS$"):
        names_in("emu.core.engines.core:MOTORS")


def test_reading_imports_nothing() -> None:
    code = (
        "import sys\nfrom launch.cli import choices\n"
        "assert [each.choices for each in vars(choices).values() if isinstance(each, choices.TableChoice)]\n"
        "assert not {'numpy', 'zmq', 'xdsl', 'emu.core'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
