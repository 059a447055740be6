"""Resize and Upsample in all modes, as ONNX's reference computes them, or onnxruntime for what is left open there."""

import numpy as np
import pytest
from draws import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from in_process import golden
from one_nodes import check, computed, granularities, node_model, numbers, shapes
from onnx.reference import ReferenceEvaluator

from emu.errors import CompileError

relaxed = settings(max_examples=examples(12, 100))
F4 = np.dtype("f4")
COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
ROUNDINGS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
SCALES = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)


def lengths(data, shape, coordinates, smooth=True):
    """Scales or sizes for the axes of a shape, of which none becomes empty.

    With `pytorch_half_pixel` sizes alone: the reference asks whether the length is 1 before it rounds it.
    Unless the result is `smooth` in positions, those of `half_pixel_symmetric` are not scaled to a broken length: the
    reference rounds each term, and takes the neighbour of a whole position at times.
    """
    even = smooth or coordinates != "half_pixel_symmetric"
    if coordinates != "pytorch_half_pixel" and data.draw(st.booleans()):
        fit = [[s for s in SCALES if s * n >= 1 and (even or (s * n).is_integer())] for n in shape]
        scales = [data.draw(st.sampled_from(some)) for some in fit]
        return [None, np.array(scales, np.float32)]
    return [None, None, np.array([data.draw(st.integers(1, 7)) for _ in shape], np.int64)]


def compare(model, x, granularity, tolerance=1e-5):
    (wanted,) = ReferenceEvaluator(model).run(None, x)
    found = computed(model, x, granularity)["y"]
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance * np.abs(wanted).max())


@relaxed
@given(st.data(), shapes(), st.sampled_from(ROUNDINGS), st.sampled_from(COORDINATES), granularities)
def test_nearest(data, shape, rounding, coordinates, granularity):
    x = {"x": numbers(F4, shape)}
    attributes = {"nearest_mode": rounding, "coordinate_transformation_mode": coordinates}
    sizes = lengths(data, shape, coordinates, smooth=False)
    compare(node_model("Resize", x, sizes, opset=19, **attributes), x, granularity, 0)


@relaxed
@given(st.data(), shapes(), st.sampled_from(["linear", "cubic"]), st.sampled_from(COORDINATES), granularities)
def test_interpolation(data, shape, mode, coordinates, granularity):
    x = {"x": numbers(F4, shape)}
    attributes = {name: data.draw(st.integers(0, 1)) for name in ("antialias", "exclude_outside")}
    if mode == "cubic" or attributes["antialias"]:  # of one element, the reference does not do what the standard says
        assume(coordinates != "pytorch_half_pixel")
    if mode == "cubic":
        attributes["cubic_coeff_a"] = data.draw(st.sampled_from([-0.75, -0.5]))
        # A position that rounding puts just below 0 has no point left in the reference, which then makes a zero of it.
        assume(not (coordinates == "half_pixel_symmetric" and attributes["exclude_outside"]))
    attributes |= {"mode": mode, "coordinate_transformation_mode": coordinates}
    model = node_model("Resize", x, lengths(data, shape, coordinates), opset=19, **attributes)
    compare(model, x, granularity)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("exclude", [0, 1])
def test_what_becomes_shorter_is_smoothed_over_all_elements_that_an_element_stands_for(mode, exclude):
    x = {"x": numbers(F4, (2, 8))}
    sizes = [None, None, np.array([2, 3], np.int64)]
    compare(node_model("Resize", x, sizes, opset=19, mode=mode, antialias=1, exclude_outside=exclude), x, "image")


@pytest.mark.parametrize("mode", ["linear", "nearest"])
def test_more_weights_than_an_axis_may_have_are_refused_before_they_are_made(mode):
    x = {"x": np.zeros((1, 200_000), np.float32)}
    model = node_model("Resize", x, [None, np.array([1, 2.5], np.float32)], opset=19, mode=mode)
    with pytest.raises(CompileError, match="500000 elements from 200000, a product with 100000000000 weights"):
        computed(model, x, "image")


@relaxed
@given(st.data(), shapes(ranks=(2, 4), smallest=2), st.sampled_from(["nearest", "linear", "cubic"]), granularities)
def test_regions(data, shape, mode, granularity):
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    bounds = st.sampled_from([-0.25, 0.0, 0.25, 0.5, 1.0, 1.25])
    roi = np.array([data.draw(bounds) for _ in range(2 * len(axes))], np.float32)
    sizes = np.array([data.draw(st.integers(1, 6)) for _ in axes])
    x = {"x": numbers(F4, shape)}
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 7.0}
    model = node_model("Resize", x, [roi, None, sizes], opset=19, mode=mode, axes=axes, **attributes)
    found, shown = computed(model, x, granularity)["y"], ReferenceEvaluator(model)
    np.testing.assert_allclose(found, shown.run(None, x)[0], rtol=0, atol=1e-3)


@pytest.mark.parametrize("rounding", ["floor", "ceil"])
def test_a_whole_position_is_an_element(rounding):
    """5 elements become 6.25, of which 6 are there: the first one lies at 0, the others by 0.8 further each."""
    x = {"x": numbers(F4, (5,))}
    attributes = {"nearest_mode": rounding, "coordinate_transformation_mode": "half_pixel_symmetric"}
    model = node_model("Resize", x, [None, np.array([1.25], np.float32)], opset=19, **attributes)
    at = [0, 0.8, 1.6, 2.4, 3.2, 4]
    wanted = x["x"][getattr(np, rounding)(at).astype(int)]
    np.testing.assert_array_equal(computed(model, x, "image")["y"], wanted)


@pytest.mark.parametrize("policy", ["stretch", "not_larger", "not_smaller"])
def test_the_ratio_of_the_axes(policy):
    x = {"x": numbers(F4, (1, 1, 3, 5))}
    sizes = np.array([7, 8], np.int64)
    attributes = {"axes": [3, 2], "keep_aspect_ratio_policy": policy}
    for mode in ("nearest", "linear"):
        model = node_model("Resize", x, [None, None, sizes], opset=18, mode=mode, **attributes)
        check(model, x, tolerance=1e-5)


@pytest.mark.parametrize("kind", ["i1", "u1", "i4"])
def test_integers_are_cut_off_as_onnxruntime_does(kind):
    x = {"x": numbers(np.dtype("i1"), (1, 2, 5, 6)).astype(kind)}
    scales = np.array([1, 1, 2.5, 0.5], np.float32)
    model = node_model("Resize", x, [None, scales], mode="linear")
    found, wanted = computed(model, x)["y"].astype(int), golden(model, x)["y"].astype(int)
    assert np.abs(found - wanted).max() <= 1  # where a sum of float32 lies next to a whole number
    assert (found == wanted).mean() > 0.9
    check(node_model("Resize", x, [None, scales]), x)


def test_many_indices_that_are_no_progressions():
    for kind in ("f4", "i8", "u1", "f2"):
        x = {"x": numbers(np.dtype(kind), (2, 73))}
        model = node_model("Resize", x, [None, None, np.array([2, 101])], nearest_mode="floor")
        indices = np.clip(np.floor((np.arange(101) + 0.5) * 73 / 101 - 0.5), 0, 72).astype(int)
        np.testing.assert_array_equal(computed(model, x)["y"], x["x"][:, indices])


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_old_operator_sets(mode):
    x = {"x": numbers(F4, (1, 2, 3, 4))}
    scales = np.array([1, 1, 2, 3], np.float32)
    check(node_model("Upsample", x, [scales], opset=9, mode=mode), x, tolerance=1e-6)
    check(node_model("Resize", x, [scales], opset=10, mode=mode), x, tolerance=1e-6)
    check(node_model("Upsample", x, opset=7, mode=mode, scales=scales.tolist()), x, tolerance=1e-6)
    attributes = {"coordinate_transformation_mode": "tf_half_pixel_for_nn", "nearest_mode": "floor"}
    check(
        node_model("Resize", x, [np.zeros(0, np.float32), scales], opset=11, mode=mode, **attributes), x, tolerance=1e-6
    )


@pytest.mark.parametrize(
    ("constants", "attributes", "words"),
    [
        ([None, np.ones(3, np.float32)], {}, "needs one scale or size for each of 2 axes|shapes do not fit"),
        ([None, -np.ones(2, np.float32)], {}, "must be positive|shapes do not fit"),
        ([None, np.array([np.inf, np.nan], np.float32)], {}, r"has scales \[inf, nan\]: all of them must be finite"),
        ([None, np.array([1, np.nan], np.float32)], {}, "has scales .* must be finite numbers"),
        ([None, np.array([1, 1e38], np.float32)], {}, "has an output of 3 x .* elements: a tensor may have"),
        ([None, np.array([1e30, 1], np.float32)], {"mode": "linear"}, "has an output of .* elements: a tensor may"),
        ([None, np.array([1, 1e7], np.float32)], {}, "has an output of 3 x 40000000 elements: a tensor may have"),
        ([None, np.ones(2, np.float32) * 2], {"mode": "quintic"}, "has mode 'quintic'"),
        ([None, np.ones(2, np.float32) * 2], {"coordinate_transformation_mode": "polar"}, "has coordinate_trans"),
    ],
)
def test_what_does_not_fit_is_refused(constants, attributes, words):
    x = {"x": numbers(F4, (3, 4))}
    with pytest.raises(CompileError, match=words):
        computed(node_model("Resize", x, constants, **attributes), x)
