"""Resize by scales that no float holds exactly: programs equal golden values, whose source is told."""

import numpy as np
import onnx
import pytest
from draws import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from one_nodes import computed, node_model, numbers
from onnx import helper

from compiler.evaluation import SOURCES
from compiler.evaluation.resizing import resizes_otherwise

F4 = np.dtype("f4")
COORDINATES = ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
SCALES = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 2.0, 2.2, 2.4, 2.5, 3.0, 4 / 3)


def length(size, scale):
    """The length that comes out, or 0 where ONNX and onnxruntime disagree: such a network is refused."""
    single, double = int(np.float32(scale) * np.float32(size)), int(float(np.float32(scale)) * size)
    return single if single == double else 0


def resized(shape, scales, **attributes):
    return node_model("Resize", {"x": numbers(F4, shape)}, [None, np.array(scales, np.float32)], opset=19, **attributes)


def golden(model, x, path):
    onnx.save(model, path)
    name, run = SOURCES["onnxruntime"](path, ["y"], {"x": x.shape})
    return name, np.asarray(run({"x": x})[0])


@settings(max_examples=examples(20, 400))
@given(st.data(), st.tuples(st.integers(2, 9), st.integers(2, 9)), st.sampled_from(COORDINATES))
def test_any_scales(tmp_path_factory, data, image, coordinates):
    fit = [[scale for scale in SCALES if length(size, scale) > 1] for size in image]
    if coordinates == "half_pixel_symmetric":  # onnx.reference takes the neighbour of a whole position at times
        fit = [[1.0, 2.0, 3.0]] * 2
    scales, shape = [1.0, 1.0, *(data.draw(st.sampled_from(some)) for some in fit)], (1, 2, *image)
    attributes = {"coordinate_transformation_mode": coordinates}
    attributes["mode"] = data.draw(st.sampled_from(["nearest", "linear"]))
    if attributes["mode"] == "nearest":
        attributes["nearest_mode"] = data.draw(st.sampled_from(ROUNDINGS))
    model, x = resized(shape, scales, **attributes), numbers(F4, shape)
    # The reference computes positions in float64: of ties each evaluator has another one.
    assume(attributes["mode"] != "nearest" or not resizes_otherwise(model, {"x": shape}))
    _, wanted = golden(model, x, tmp_path_factory.mktemp("resized") / "model.onnx")
    found = computed(model, {"x": x})["y"]
    assert found.shape == wanted.shape
    exact = attributes["mode"] == "nearest"
    np.testing.assert_allclose(found, wanted, rtol=0, atol=0 if exact else 1e-5 * np.abs(wanted).max())


def as_node(model):
    """The model with its constants in nodes."""
    graph = model.graph
    made = [helper.make_node("Constant", [], [each.name], value=each) for each in graph.initializer]
    nodes = [*made, *graph.node]
    graph.ClearField("initializer")
    graph.ClearField("node")
    graph.node.extend(nodes)
    return model


@pytest.mark.parametrize("held", [lambda model: model, as_node], ids=["in the file", "in nodes"])
@pytest.mark.parametrize(
    ("shape", "scales", "coordinates", "otherwise"),
    [
        ((5,), (1.5,), "align_corners", True),
        ((5,), (1.5,), "half_pixel_symmetric", True),
        ((5,), (1.5,), "half_pixel", False),
        ((4,), (1.5,), "align_corners", False),
        ((5,), (1.1,), "half_pixel", True),  # 5.5 elements, of which as many are there as before
        ((2, 5), (1.0, 1.1), "asymmetric", True),
        ((2, 5), (2.0, 1.0), "asymmetric", False),
    ],
)
def test_who_is_asked_is_told(tmp_path, shape, scales, coordinates, otherwise, held):
    model = held(resized(shape, scales, coordinate_transformation_mode=coordinates))
    name, _ = golden(model, numbers(F4, shape), tmp_path / "model.onnx")
    assert resizes_otherwise(model, {"x": shape}) is otherwise
    assert name.startswith("onnx.reference" if otherwise else "onnxruntime")
    assert ("takes whole lengths for broken ones" in name) is otherwise


def test_scales_of_some_axes():
    model = resized((3, 5), (1.5,), mode="linear", coordinate_transformation_mode="align_corners", axes=[-1])
    assert resizes_otherwise(model, {"x": (3, 5)})
    assert not resizes_otherwise(model, {"x": (3, 4)})  # shapes are those that are compiled
