"""An image, inputs with labels, and what `emu launch` and trials of this process make of them."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from analog_chips import NOISY
from click.testing import CliRunner, Result
from commands import DIGITS, SAMPLES, Emu
from prepared import Prepared

from emu.image.npz import read_npz, write_npz
from emu.image.reader import open_image
from launch.cli import cli
from launch.samples.inputs import load_inputs

Launch = Callable[..., Result]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """Inputs that are made once."""
    return Prepared(tmp_path_factory.mktemp("prepared"))


@pytest.fixture(scope="session")
def image(prepared: Prepared) -> Path:
    """The example network on 16 cores of the default chip."""
    return prepared["digits"]


@pytest.fixture(scope="session")
def given_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four of its samples with labels."""
    path = tmp_path_factory.mktemp("samples") / "few.npz"
    write_npz(path, {name: array[:4] for name, array in read_npz(SAMPLES).items()})
    return path


@pytest.fixture(scope="session")
def inputs(image: Path, given_file: Path) -> Mapping[str, np.ndarray]:
    """The inputs of these samples, (4,) + shape."""
    return load_inputs(given_file, open_image(image).manifest.inputs)


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A chip file on which nothing is as it should be."""
    path = tmp_path / "noisy.toml"
    path.write_text(NOISY)
    return path


@pytest.fixture
def emu() -> Emu:
    """Run `emu` with the given arguments in this process."""

    def run(*arguments: object) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="emu")

    return run


@pytest.fixture
def launch(emu: Emu, image: Path, given_file: Path) -> Launch:
    """`emu launch` of the image with its samples."""
    return partial(emu, "launch", image, "--input", given_file, "--labels", "labels", "--model", DIGITS)
