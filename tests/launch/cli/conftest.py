"""A compiled network for the tests of the commands."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import DIGITS, Emu

from launch.cli import cli


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments])

    return run


@pytest.fixture(scope="session")
def digits_image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example network, compiled for 16 cores of the default architecture; not to be changed."""
    out = tmp_path_factory.mktemp("images") / "digits"
    result = CliRunner().invoke(cli, ["compile", str(DIGITS), "-o", str(out), "--cores", "16", "--samples", "2"])
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def own_image(digits_image: Path, tmp_path: Path) -> Path:
    """A copy of the compiled network that the test may change."""
    return Path(shutil.copytree(digits_image, tmp_path / "digits"))
