"""Differences that die out are rounding; those that go on to an output beyond its tolerance are not."""

from pathlib import Path

import onnx
import pytest
from onnx import helper
from onnx_models import make_model

from emu.arch import Arch
from emu.image.manifest import Manifest, TensorOrigin
from launch.bisect.doubts import doubtful
from launch.bisect.network import OnnxNetwork


@pytest.fixture
def network(tmp_path: Path) -> OnnxNetwork:
    """a -> b -> c -> y, and c + a."""
    nodes = [helper.make_node("Relu", [given], [made], made) for given, made in (("x", "a"), ("a", "b"), ("b", "c"))]
    nodes.append(helper.make_node("Add", ["c", "a"], ["y"], "y"))
    onnx.save(make_model(nodes, {"x": [1, 4]}, ("y",)), tmp_path / "net.onnx")
    origins = tuple(TensorOrigin(name, name) for name in "abcy")
    return OnnxNetwork(tmp_path / "net.onnx", Manifest(Arch(), (), (), (), 0, tensors=origins))


@pytest.mark.parametrize(
    ("a", "b", "c", "y", "found"),
    [
        (0, 0, 0, 0, ""),
        (1.5, 0, 0, 0, "a"),  # dies out
        (1.5, 2, 0, 0, "ab"),
        (0, 20, 3, 1.5, "bcy"),  # ends in an output that is right within its tolerance
        (0, 2, 3, 9, ""),  # goes on to an output that is wrong
        (50, 0, 0, 0, ""),  # too far off for rounding
        (0, float("inf"), 0, 0, ""),  # a number where none is uncertain
        (0, 1.5, 900, 90, "b"),  # b cannot explain c
    ],
)
def test_which_differences_are_rounding(
    network: OnnxNetwork, a: float, b: float, c: float, y: float, found: str
) -> None:
    off = {"a": float(a), "b": float(b), "c": float(c), "y": float(y)}
    assert doubtful(network, off, {"y"}) == set(found)


def test_of_a_tensor_that_nothing_follows_nobody_can_say(network: OnnxNetwork) -> None:
    """The run ended before what is computed from b, or it was never whole."""
    assert doubtful(network, {"a": 0.0, "b": 1.5}, {"y"}) == set()
