"""MaxPool with its output of indices: over any image, with any window, as onnxruntime has them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import check, computed, granularities, node_model

F4, I8 = np.dtype("f4"), np.dtype("i8")


def image(dtype, shape, seed):
    """Few different numbers, and the least one: maxima are not the only ones of their window."""
    rng = np.random.default_rng(seed)
    return np.asarray(rng.integers(0 if dtype == "u1" else -2, 3, shape)).astype(dtype)


def model_of(x, **attributes):
    return node_model("MaxPool", {"x": x}, outputs=("y", "where"), types=(x.dtype, I8), **attributes)


@st.composite
def windows(draw):
    """A shape and attributes of a window that meets it, with pads smaller than the kernel."""
    rank = draw(st.integers(1, 3))
    kernel = [draw(st.integers(1, 3)) for _ in range(rank)]
    attributes = {"kernel_shape": kernel, "strides": [draw(st.integers(1, 3)) for _ in range(rank)]}
    if draw(st.booleans()):
        attributes["auto_pad"] = draw(st.sampled_from(["VALID", "SAME_UPPER", "SAME_LOWER"]))
        # onnxruntime pads negatively for wide strides
        attributes["strides"] = [min(pair) for pair in zip(kernel, attributes["strides"], strict=True)]
        spans = kernel
    else:
        steps = [draw(st.integers(1, 2)) for _ in range(rank)]
        attributes |= {"dilations": steps, "ceil_mode": draw(st.integers(0, 1))}
        attributes["pads"] = [draw(st.integers(0, size - 1)) for size in kernel * 2]
        spans = [(size - 1) * step + 1 for size, step in zip(kernel, steps, strict=True)]
    shape = [draw(st.integers(1, 2)), draw(st.integers(1, 10)), *(draw(st.integers(span, 6)) for span in spans)]
    return shape, attributes | {"storage_order": draw(st.integers(0, 1))}


@given(windows(), st.sampled_from(["f4", "i1", "u1"]), granularities, st.integers(0, 99))
def test_indices_of_the_maxima(window, dtype, granularity, seed):
    shape, attributes = window
    x = image(dtype, shape, seed)
    check(model_of(x, **attributes), {"x": x}, granularity)


def test_the_least_number_is_a_maximum_but_not_in_the_padding():
    x = np.full((1, 1, 3), -np.inf, F4)
    found = computed(model_of(x, kernel_shape=[3], pads=[2, 2], strides=[2]), {"x": x})
    np.testing.assert_array_equal(found["where"], [[[0, 0, 2]]])


def test_indices_alone():
    x = image("f4", (1, 3, 4, 4), 1)
    model = model_of(x, kernel_shape=[2, 2])
    del model.graph.output[0]
    check(model, {"x": x})
