"""Tests of commands: `.test` files (tests/support/command_files.py says how to write one), and Python beside them."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from command_files import CommandFile
from commands import Emu
from prepared import Prepared

from launch.cli import cli


def pytest_collect_file(parent, file_path):
    return CommandFile.from_parent(parent, path=file_path) if file_path.suffix == ".test" else None


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="emu")

    return run


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Inputs that are made once."""
    return Prepared(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="session")
def digits_image(prepared: Prepared) -> Path:
    """The example network, compiled for 16 cores of the default architecture; not to be changed."""
    return prepared["digits"]


@pytest.fixture
def own_image(digits_image: Path, tmp_path: Path) -> Path:
    """A copy of the compiled network that the test may change."""
    return Path(shutil.copytree(digits_image, tmp_path / "digits"))
