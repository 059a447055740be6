"""Pads, strides, dilations, auto_pad and ceil mode: any window computes what onnxruntime computes."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx_export import evaluate_module, run_onnx
from onnx_models import one_node, random_array

from compiler.frontend.importer import import_model
from compiler.frontend.nodes.node import Node
from compiler.frontend.operators.windows import window
from compiler.session.context import make_context
from emu.errors import CompileError

small = st.integers(1, 3)
pairs = st.tuples(small, small)


@st.composite
def windows(draw, dilated: bool):
    """Attributes of a window whose pads are smaller than the kernel, as onnxruntime demands of pooling."""
    kernel = draw(pairs)
    attributes = {"kernel_shape": list(kernel), "strides": list(draw(pairs))}
    if dilated:
        attributes["dilations"] = list(draw(pairs))
    mode = draw(st.sampled_from(["NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]))
    if mode == "NOTSET":
        attributes["pads"] = [draw(st.integers(0, size - 1)) for size in kernel * 2]
    else:
        attributes["auto_pad"] = mode
        attributes.pop("dilations", None)  # onnxruntime has no dilated SAME, and pads negatively for wide strides
        attributes["strides"] = [min(pair) for pair in zip(kernel, attributes["strides"], strict=True)]
    return attributes


def agree(model, shape) -> None:
    """The module's outputs are those of the model; windows larger than the image are left out."""
    context, x = make_context(), random_array(*shape)
    try:
        imported = import_model(model, context)
    except CompileError as error:
        assume("it is empty" not in str(error))
        raise
    expected = run_onnx(model, {"x": x})[0]
    assert imported.outputs[0].shape == expected.shape
    np.testing.assert_allclose(evaluate_module(imported.module, context, {"x": x})[0], expected, rtol=1e-5, atol=1e-6)


image = st.tuples(st.just(1), st.just(2), st.integers(4, 9), st.integers(4, 9))


@settings(max_examples=40)
@given(image, windows(dilated=True))
def test_convolution(shape, attributes):
    agree(one_node("Conv", shape, random_array(3, 2, *attributes["kernel_shape"]), **attributes), shape)


@settings(max_examples=40)
@given(image, windows(dilated=False), st.booleans())
def test_max_pool(shape, attributes, ceil):
    ceil = ceil and "auto_pad" not in attributes
    agree(one_node("MaxPool", shape, ceil_mode=int(ceil), **attributes), shape)


@settings(max_examples=60)
@given(image, windows(dilated=False), st.booleans(), st.booleans())
def test_average_pool(shape, attributes, ceil, counted):
    ceil = ceil and "auto_pad" not in attributes
    model = one_node("AveragePool", shape, ceil_mode=int(ceil), count_include_pad=int(counted), opset=19, **attributes)
    agree(model, shape)


@pytest.mark.parametrize(
    ("image", "attributes", "pads", "output"),
    [
        ((112, 112), {"strides": [2, 2], "ceil_mode": 1}, (0, 0, 1, 1), (56, 56)),
        ((111, 111), {"strides": [2, 2], "ceil_mode": 1}, (0, 0, 0, 0), (55, 55)),
        ((5, 6), {"strides": [2, 2], "auto_pad": b"SAME_UPPER"}, (1, 0, 1, 1), (3, 3)),
        ((5, 6), {"strides": [2, 2], "auto_pad": b"SAME_LOWER"}, (1, 1, 1, 0), (3, 3)),
        ((5, 5), {"dilations": [2, 1], "pads": [2, 1, 2, 1]}, (2, 1, 2, 1), (5, 5)),
    ],
)
def test_explicit_pads(image, attributes, pads, output):
    node = Node("n", "MaxPool", ("x",), ("y",), "test", attributes)
    view = window(node, image, (3, 3))
    assert (view.pads, view.output) == (pads, output)


@pytest.mark.parametrize("mode", [b"SAME_UPPER", b"SAME_LOWER"])
def test_a_stride_that_would_skip_elements_on_both_sides(mode):
    """One element fewer than windows take is left out at an end; of two it is not agreed on which end they are."""
    view = window(Node("n", "Conv", ("x",), ("y",), "test", {"strides": [2, 2], "auto_pad": mode}), (4, 6), (1, 1))
    assert (view.pads, view.output) == ((0, 0, 0, 0), (2, 3))
    node = Node("n", "AveragePool", ("x",), ("y",), "test", {"strides": [1, 3], "auto_pad": mode})
    with pytest.raises(CompileError, match="strides of 3 over windows that span 1 of 6 elements"):
        window(node, (4, 6), (1, 1))
