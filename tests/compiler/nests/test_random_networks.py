"""Nests beside products and moves, on crossbars so small that most tensors are several tiles: as onnxruntime says."""

import numpy as np
import pytest
from draws import examples
from hypothesis import HealthCheck, example, given, settings
from in_process import golden
from onnx import helper
from onnx_models import make_model, random_array
from random_graphs import Case
from random_networks import WAYS, Way, campaign, cases, check

relaxed = settings(suppress_health_check=list(HealthCheck))
PLAIN = Way((4, 4), 1, "image", "dense", "frugal", "batch")
SHARDS, SHARE = 20, 1000  # of the heavy test


def case_of(nodes, inputs, **weights) -> Case:
    """A case with random inputs."""
    model = make_model(nodes, inputs, weights=weights)
    sample = {name: random_array(*shape, seed=7) for name, shape in inputs.items()}
    return Case(model, sample, golden(model, sample))


def beside_a_product(kind="Add", channels=5) -> Case:
    """A product, whose channels are several tiles, and what stands with its channels as another axis, untiled."""
    steps = {"first": (1, 1, 4, 4, channels), "second": (1, 4, 4, channels)}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Reshape", ["v", "first"], ["r"]),
        helper.make_node("Reshape", ["r", "second"], ["s"]),
        helper.make_node(kind, ["m", "s"], ["y"]),
    ]
    shapes = {name: np.array(shape, np.int64) for name, shape in steps.items()}
    return case_of(nodes, {"x": (1, 4, 4, 8), "v": (16, channels)}, w=random_array(8, channels), **shapes)


def view_beside_a_product() -> Case:
    """The same without a copy: the input itself stands in four axes, the last of which has size 1."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"]),
        helper.make_node("Squeeze", ["v", "axes"], ["s"]),
        helper.make_node("Sub", ["m", "s"], ["y"]),
    ]
    axes = np.array([1], np.int64)
    return case_of(nodes, {"x": (3, 4, 2), "v": (3, 1, 4, 6)}, w=random_array(2, 6), axes=axes)


@settings(relaxed, max_examples=examples(20, 100))
@example(beside_a_product(), PLAIN)
@example(view_beside_a_product(), PLAIN)
@given(cases(), WAYS)
def test_random_networks(case, way):
    check(case, way)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", range(SHARDS))
def test_many_random_networks(number):
    tally = campaign(SHARE, number)
    assert not tally.failures
    assert tally.right > 0.9 * tally.count, tally.refused


@pytest.mark.parametrize("kind", ["Add", "Mul", "Max"])
@pytest.mark.parametrize(("channels", "size"), [(129, 128), (256, 128), (5, 4), (4, 4), (9, 2)])
@pytest.mark.parametrize("cores", [1, 4])
def test_an_operand_whose_channels_stand_elsewhere(kind, channels, size, cores):
    """Each tile of the result takes its own part of the operand, which is one tile."""
    way = Way((size, size), cores, "image", "dense", "frugal", "batch")
    assert check(beside_a_product(kind, channels), way) == ""
