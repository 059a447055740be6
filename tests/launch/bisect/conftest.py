"""A compiled network, and what the search knows of it."""

from pathlib import Path

import pytest
from bisect_faults import Subject
from commands import DIGITS

from launch.bisect.network import OnnxNetwork
from launch.bisect.recording import KeptImage, record
from launch.bisect.scene import Scene
from launch.golden.values import compute_golden
from launch.images.compilation import compile_image
from launch.processes.options import RunOptions


@pytest.fixture(scope="session")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """The digits network on 64 small cores."""
    out = tmp_path_factory.mktemp("bisect") / "out"
    compile_image(DIGITS, out, arch="tiny", cores=64, quiet=True)
    return Subject(out)


@pytest.fixture(scope="session")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Subject:
    """The same on fewer cores, which have several messages to swap that matter."""
    out = tmp_path_factory.mktemp("bisect") / "crowded"
    compile_image(DIGITS, out, arch="tiny", cores=24, quiet=True)
    return Subject(out)


@pytest.fixture(scope="session")
def scene(digits: Subject) -> Scene:
    """Its stored sample, recorded, with the golden values of all tensors."""
    return make_scene(digits.out, DIGITS)


def make_scene(out: Path, model: Path) -> Scene:
    subject = Subject(out)
    image = KeptImage(subject.out, subject.image.manifest)
    inputs = image.default_inputs()
    assert inputs is not None
    first = {name: array[0] for name, array in inputs.items()}
    recording = record(image, [first], RunOptions(sequential=True))
    names = [origin.tensor for origin in image.manifest.tensors]
    golden = compute_golden(model, "onnxruntime", {name: array[:1] for name, array in inputs.items()}, names)
    values = {name: array[0] for name, array in golden.tensors.items()}
    return Scene(image, OnnxNetwork(model, image.manifest), recording, values, (), first, None, "batch")
