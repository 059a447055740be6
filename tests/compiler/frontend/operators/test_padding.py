"""Pad in all modes and types, with a number that is known or computed, as onnxruntime and NumPy do it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import compile_in_memory
from one_nodes import SMALL, check, computed, dtypes, granularities, node_model, numbers, shapes
from onnx import helper, numpy_helper

from emu.errors import CompileError

F4 = np.dtype("f4")
MODES = ("constant", "reflect", "edge", "wrap")
RUNTIME = [np.dtype(kind) for kind in ("f4", "i4", "i8", "i1", "u1", "?")]  # what onnxruntime pads


def drawn_pads(data, shape, least=-2, most=3):
    """Pads of each axis that leave an element of it."""
    pads = []
    for size in shape:
        before = data.draw(st.integers(max(least, 1 - size), most))
        pads.append((before, data.draw(st.integers(max(least, 1 - size - min(before, 0)), most))))
    return pads


def flat(pads):
    return np.array([both[end] for end in (0, 1) for both in pads], np.int64)


def padded(array, pads, mode, **more):
    """What NumPy makes of it, after it was cut."""
    cut = tuple(
        slice(max(0, -before), size - max(0, -after)) for size, (before, after) in zip(array.shape, pads, strict=True)
    )
    return np.pad(array[cut], [(max(0, before), max(0, after)) for before, after in pads], mode, **more)


@given(st.data(), shapes(), dtypes, granularities, st.booleans())
def test_a_number_around_a_tensor(data, shape, dtype, granularity, known):
    pads, value = drawn_pads(data, shape), numbers(dtype.numpy, (), seed=9)
    x = {"x": numbers(dtype.numpy, shape)}
    inputs = {"x": x["x"], "pads": flat(pads), "value": value}
    if known:
        model, given_inputs = node_model("Pad", x, [flat(pads), value]), x
    else:
        model, given_inputs = node_model("Pad", inputs), {"x": x["x"], "value": value}
        frozen(model, "pads", flat(pads))
    wanted = padded(x["x"], pads, "constant", constant_values=value)
    np.testing.assert_array_equal(computed(model, given_inputs, granularity)["y"], wanted)


def frozen(model, name, array):
    """Make an input an initialiser."""
    (place,) = (index for index, info in enumerate(model.graph.input) if info.name == name)
    del model.graph.input[place]
    model.graph.initializer.append(numpy_helper.from_array(array, name))


@given(st.data(), shapes(), st.sampled_from(MODES[1:]), dtypes, granularities)
def test_elements_around_a_tensor(data, shape, mode, dtype, granularity):
    pads = drawn_pads(data, shape)
    x = {"x": numbers(dtype.numpy, shape)}
    model = node_model("Pad", x, [flat(pads)], opset=19, mode=mode)
    np.testing.assert_array_equal(computed(model, x, granularity)["y"], padded(x["x"], pads, mode))


@given(
    st.data(), shapes(smallest=3), st.sampled_from(["constant", "reflect", "edge", "wrap"]), st.sampled_from(RUNTIME)
)
def test_as_onnxruntime_does(data, shape, mode, dtype):
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    pads = drawn_pads(data, [shape[axis] for axis in axes], most=1, least=0)
    signed = [axis - data.draw(st.sampled_from([0, len(shape)])) for axis in axes]
    x = {"x": numbers(dtype, shape)}
    check(node_model("Pad", x, [flat(pads), None, np.array(signed)], opset=19, mode=mode), x)


@pytest.mark.parametrize("kind", ["Pad", "CumSum", "Concat"])
@pytest.mark.parametrize("granularity", ["image", "rows:2"])
def test_an_activation_that_is_fused(kind, granularity):
    x = {"x": numbers(F4, (1, 3, 4, 5))}
    constants = {"Pad": [flat([(0, 0), (0, 0), (1, 1), (0, 2)]), np.float32(-1)], "CumSum": [np.array(2)]}
    model = node_model(kind, x, constants.get(kind, [x["x"]]), **({"axis": 2} if kind == "Concat" else {}))
    model.graph.node.append(helper.make_node("Relu", ["y"], ["z"]))
    model.graph.output[0].name = "z"
    check(model, x, granularity, tolerance=1e-6)


@pytest.mark.parametrize("granularity", ["image", "rows:1", "rows:4"])
def test_a_tensor_of_several_channel_tiles_is_padded_tile_by_tile(granularity):
    x = {"x": numbers(F4, (1, 3, 5, 4))}
    rng = np.random.default_rng(1)
    w, v = (rng.standard_normal(size).astype(F4) for size in ((20, 3, 1, 1), (2, 20, 2, 2)))
    model = node_model("Conv", x, [w])
    pads, number = flat([(0, 0), (0, 0), (1, -1), (0, 2)]), np.float32(0.5)
    for name, array in (("pads", pads), ("number", number), ("v", v)):
        model.graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
    model.graph.node.append(helper.make_node("Pad", ["y", "pads", "number"], ["p"], "the_pad"))
    model.graph.node.append(helper.make_node("Conv", ["p", "v"], ["z"]))
    model.graph.output[0].name = "z"
    check(model, x, granularity, tolerance=1e-5)
    module = str(compile_in_memory(model, SMALL).module)
    assert module.count("kernel.concat") >= 3


def test_the_value_of_an_old_operator_set():
    x = {"x": numbers(F4, (2, 3))}
    check(node_model("Pad", x, opset=10, pads=[1, 0, -1, 2], value=2.5), x)
    check(node_model("Pad", x, opset=10, pads=[1, 0, 0, 2], mode="edge"), x)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, -0.0])
def test_special_numbers(value):
    x = {"x": numbers(F4, (2, 3))}
    model = node_model("Pad", x, [flat([(1, 1), (0, 2)]), np.float32(value)])
    wanted = padded(x["x"], [(1, 1), (0, 2)], "constant", constant_values=np.float32(value))
    assert computed(model, x)["y"].tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("constants", "attributes", "words"),
    [
        ([[1, 1, 1]], {}, "has 3 pads|shapes do not fit"),
        ([[-2, 0, -2, 0]], {}, "cuts off more than there is|shapes do not fit"),
        ([[0, 1, 0, 0]], {"mode": "edge", "empty": True}, "has no element along an axis"),
        ([[1, 0, 1, 0]], {"mode": "mirror"}, "has mode 'mirror'"),
    ],
)
def test_what_does_not_fit_is_refused(constants, attributes, words):
    x = {"x": numbers(F4, (3, 0 if attributes.pop("empty", False) else 4))}
    with pytest.raises(CompileError, match=words):
        computed(node_model("Pad", x, [np.array(part) for part in constants], **attributes), x)


def test_nothing_but_the_number():
    x = {"x": numbers(F4, (3, 4))}
    for array, pads in ((x["x"], [(-3, 1), (0, 0)]), (x["x"][:, :0], [(0, 0), (2, 1)])):
        given = {"x": array}
        model = node_model("Pad", given, [flat(pads), np.float32(2.5)])
        wanted = padded(array, pads, "constant", constant_values=2.5)
        np.testing.assert_array_equal(computed(model, given)["y"], wanted)
