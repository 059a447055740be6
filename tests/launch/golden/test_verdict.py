"""Verdicts: limits per sample, floors, exactness, NaN and infinities, classifiers; against a naive formulation."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from emu.errors import InputError
from launch.golden import differences
from launch.golden.verdict import GoldenVerdict, can_be_classes, compare, compare_all

NAN, INF = float("nan"), float("inf")
EPSILON = 2.0**-23
SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=5)
VALUES = st.one_of(
    st.floats(-4, 4, width=32),
    st.floats(-(2.0**-20), 2.0**-20, width=32),
    st.sampled_from([0.0, NAN, INF, -INF, 1e30, -1e30]),
)


def f32(*values: float) -> np.ndarray:
    return np.array([values], np.float32)


def naive(got: np.ndarray, want: np.ndarray, tolerance: float) -> tuple[int, float]:
    """Elements that are wrong, and the floor: one element after the other, in Python."""
    samples = [[float(value) for value in sample.reshape(-1)] for sample in want]
    size = max((abs(value) for sample in samples for value in sample if math.isfinite(value)), default=0.0)
    floor = min(tolerance, 8 * EPSILON) * size if size else min(tolerance, EPSILON)
    wrong = 0
    for ours, theirs in zip(got, samples, strict=True):
        own = max((abs(value) for value in theirs if math.isfinite(value)), default=0.0)
        limit = max(tolerance * own, floor)
        for a, b in zip((float(value) for value in ours.reshape(-1)), theirs, strict=True):
            if math.isfinite(a) and math.isfinite(b):
                wrong += abs(a - b) > limit
            else:
                wrong += not (a == b or (math.isnan(a) and math.isnan(b)))
    return wrong, floor


@given(st.data(), SHAPES, st.sampled_from([0.0, 1e-7, 1e-4, 1e-2]))
def test_wrong_elements_are_those_of_the_naive_formulation(data: st.DataObject, shape: tuple, tolerance: float) -> None:
    want = data.draw(hnp.arrays(np.float32, shape, elements=VALUES))
    noise = data.draw(hnp.arrays(np.float32, shape, elements=st.sampled_from([0, 0, 1e-9, 1e-6, 1e-4, 1e-3])))
    got = np.where(data.draw(hnp.arrays(np.bool_, shape)), want + noise, want).astype(np.float32)
    place = tuple(data.draw(st.integers(0, side - 1)) for side in shape)
    got[place] = data.draw(VALUES)
    wrong, floor = naive(got, want, tolerance)
    verdict = compare("y", got, want, tolerance, allow_nan=True)
    assert (verdict.mismatches, verdict.floor) == (wrong, pytest.approx(floor, rel=1e-9))
    assert not (verdict.passed and wrong)
    assert verdict.passed or wrong or verdict.argmax_wrong
    json.loads(json.dumps(verdict.to_dict(), allow_nan=False))


@given(st.integers(2, 6), st.integers(2, 20), st.integers(0, 999), st.floats(1.01, 1e6))
def test_one_wrong_element_in_a_small_sample_is_caught(samples: int, count: int, seed: int, factor: float) -> None:
    rng = np.random.default_rng(seed)
    want = rng.standard_normal((samples, count)).astype(np.float32)
    victim = int(rng.integers(samples))
    want[np.arange(samples) != victim] *= 1e3
    limit = max(1e-4 * float(abs(want[victim]).max()), 8 * EPSILON * float(abs(want).max()))
    place = victim, int(rng.integers(count))
    got = want.astype(np.float64)
    got[place] += limit * factor * (1 + 1e-3)
    got = got.astype(np.float32)
    assume(abs(float(got[place]) - float(want[place])) > limit * 1.0001)
    verdict = compare("y", got, want)
    assert not verdict.passed and verdict.worst == place and verdict.failed_samples == 1
    assert compare("y", want, want).passed


@given(st.data(), hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6))
def test_pieces_do_not_matter(data: st.DataObject, shape: tuple[int, int]) -> None:
    want = data.draw(hnp.arrays(np.float32, shape, elements=VALUES))
    got = data.draw(hnp.arrays(np.float32, shape, elements=VALUES))
    whole = compare("y", got, want)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(differences, "PIECE", 1)
        assert repr(compare("y", got, want)) == repr(whole)


def test_worst_element_and_numbers() -> None:
    want = np.array([[[1.0, -4.0]], [[2.0, 3.0]]], np.float32)
    got = want + np.array([[[0, 0]], [[0.5, 0.25]]], np.float32)
    verdict = compare("y", got, want)
    assert (verdict.max_abs, verdict.max_golden, verdict.relative) == (0.5, 4.0, 0.5 / 3)
    assert (verdict.worst, verdict.got, verdict.want) == ((1, 0, 0), 2.5, 2.0)
    assert (verdict.mismatches, verdict.failed_samples, verdict.passed) == (2, 1, False)
    text = str(verdict)
    assert text.startswith(
        "FAIL  y: max|diff| 0.5, max|golden| 4, relative 0.17 (limit 0.0001 per sample, floor 3.8e-06)"
    )
    assert "2 of 4 elements beyond, in 1 of 2 samples" in text
    assert text.endswith("worst at sample 1 [0, 0]: 2.5, golden 2")


def test_no_element_is_worst_if_none_differs() -> None:
    assert str(compare("y", f32(1, 2), f32(1, 2))).endswith("argmax 1/1; no element differs")
    assert compare("y", f32(1, 2), f32(1, 2)).to_dict()["worst"] == []


@pytest.mark.parametrize(("difference", "passed"), [(0.9e-4, True), (1.1e-4, False)])
def test_float_limit_is_relative_to_the_largest_golden_of_the_sample(difference: float, passed: bool) -> None:
    want = np.array([[[100.0, 0.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
    for sample, size in ((0, 100.0), (1, 1.0)):
        got = want.copy()
        got[sample, 0, 1] += size * difference
        assert compare("y", got, want).passed is passed


def test_a_sample_of_zeros_must_be_nearly_zero() -> None:
    want = np.array([[3.0, 1.0], [0.0, 0.0]], np.float32)
    for value, passed in ((0.0, True), (2e-6, True), (4e-6, False), (1e-4, False)):
        got = want + np.array([[0, 0], [0, value]], np.float32)
        assert compare("y", got, want).passed is passed, value
    for value, passed in ((0.0, True), (1e-8, True), (1e-6, False)):  # nothing tells the size of an output of zeros
        assert compare("y", f32(value, 0), f32(0, 0)).passed is passed, value


def test_tolerance_zero_has_no_floor() -> None:
    assert not compare("y", f32(1e-12, 1), f32(0, 1), tolerance=0).passed
    assert compare("y", f32(0, 1), f32(0, 1), tolerance=0).passed


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_])
def test_integers_are_exact(dtype: type) -> None:
    want = np.array([[1, 0, 1]], dtype)
    got = want.copy()
    assert compare("y", got, want, tolerance=1.0).passed
    got[0, 1] = 1
    verdict = compare("y", got, want, tolerance=1.0)
    assert (verdict.passed, verdict.mismatches, verdict.worst) == (False, 1, (0, 1))


def test_int64_extremes_do_not_wrap() -> None:
    big = np.iinfo(np.int64)
    assert compare("y", np.array([[big.max]]), np.array([[big.min]])).max_abs == float(2**64 - 1)


@pytest.mark.parametrize(
    ("got", "want", "passed"),
    [
        (f32(NAN, 1), f32(NAN, 1), True),
        (f32(NAN, 1), f32(0, 1), False),
        (f32(0, 1), f32(NAN, 1), False),
        (f32(INF, 1), f32(INF, 1), True),
        (f32(INF, 1), f32(-INF, 1), False),
        (f32(INF, 1), f32(1e30, 1), False),
        (f32(NAN, 1), f32(INF, 1), False),
    ],
)
def test_values_that_are_not_finite(got: np.ndarray, want: np.ndarray, passed: bool) -> None:
    verdict = compare("y", got, want)
    assert verdict.passed is passed
    assert passed or verdict.worst == (0, 0)
    assert verdict.odd == (not passed)
    json.loads(json.dumps(verdict.to_dict(), allow_nan=False))


def test_nan_where_the_golden_is_a_number_is_told_as_such() -> None:
    text = str(compare("y", np.full((1, 1, 3), NAN, np.float32), np.array([[[1, 2, 3]]], np.float32)))
    assert text.startswith("FAIL  y: max|diff| 0 where both are finite, ")
    assert "3 elements are NaN or infinite where the golden is not, or the reverse" in text
    assert "elements beyond" not in text


def test_only_nan_is_no_success() -> None:
    only = f32(NAN, NAN, NAN)
    verdict = compare("y", only, only)
    assert not verdict.passed
    assert "3 of 3 elements are NaN, all golden elements are NaN: nothing is verified" in str(verdict)
    allowed = compare("y", only, only, allow_nan=True)
    assert allowed.passed and "nothing is verified (allowed)" in str(allowed)
    assert not compare("y", f32(NAN, 0, NAN), only, allow_nan=True).passed
    assert "NaN" not in str(compare("y", f32(1, 2), f32(1, 2)))


def test_nothing_compared_is_no_success() -> None:
    assert not GoldenVerdict("onnxruntime", ()).passed
    no_samples = compare("y", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
    assert not no_samples.passed and "it has no samples: nothing is verified" in str(no_samples)


def test_a_tensor_without_elements_differs_in_none() -> None:
    empty = compare("y", np.zeros((2, 0), np.float32), np.zeros((2, 0), np.float32))
    assert empty.passed and "it has no elements" in str(empty)
    assert not GoldenVerdict("onnxruntime", (empty,)).passed  # nothing at all was compared
    assert GoldenVerdict("onnxruntime", (empty, compare("z", f32(1), f32(1)))).passed


@pytest.mark.parametrize(
    ("shape", "classes"),
    [
        ((10,), True),
        ((1, 10), True),
        ((1, 10, 1, 1), True),
        ((), False),
        ((1, 1), False),
        ((2, 5), False),
        ((1, 1, 10), False),
        ((1, 10, 1), False),
        ((1, 8, 8, 8), False),
        ((2, 5, 1, 1), False),
    ],
)
def test_argmax_only_for_scores_of_classes(shape: tuple[int, ...], classes: bool) -> None:
    assert can_be_classes(shape) is classes
    want = np.arange(2 * math.prod(shape), dtype=np.float32).reshape(2, *shape)
    assert compare("y", want, want).argmax_agree == (2 if classes else None)
    assert compare("y", want.astype(np.int32), want.astype(np.int32)).argmax_agree is None


def test_another_class_is_told_and_fails_unless_it_is_a_near_tie() -> None:
    want = np.array([[0.0, 1.0, 1.0 - 5e-5], [2, 1, 0], [0, 1, 3]], np.float32)
    got = want.copy()
    got[0, 1:] = 1 - 5e-5, 1
    tie = compare("y", got, want)
    assert tie.passed and (tie.argmax_agree, tie.argmax_differs, tie.argmax_wrong) == (2, (0,), 0)
    assert "argmax 2/3 DIFFERS at sample 0, within the limit" in str(tie)
    want[0, 2] = got[0, 1] = 1 - 1.5e-4  # each element is within the limit, the order of the two is not
    got[0] = 0, 1 - 7.6e-5, 1 - 7.4e-5
    clear = compare("y", got, want)
    assert not clear.mismatches and clear.argmax_wrong == 1 and not clear.passed
    assert str(clear).startswith("FAIL") and "argmax 2/3 DIFFERS at sample 0, beyond the limit" in str(clear)
    got[1] = got[1, ::-1]
    assert "argmax 1/3 DIFFERS at sample 0 and 1 more, beyond" in str(compare("y", got, want))


def test_missing_output_and_wrong_shape_are_named() -> None:
    with pytest.raises(InputError, match=r"\(file\) have no output 'y': they hold 'z'"):
        compare_all({"y": f32(1)}, {"z": f32(1)}, "file")
    with pytest.raises(InputError, match=r"'y' has shape \(1, 1\), its golden values \(1, 2\)"):
        compare_all({"y": f32(1)}, {"y": f32(1, 2)}, "file")


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
def test_every_tensor_equals_itself(array: np.ndarray) -> None:
    verdict = compare("y", array, array.copy(), tolerance=0, allow_nan=True)
    assert verdict.passed
    assert verdict.max_abs == 0


@pytest.mark.parametrize("tolerance", [float("nan"), float("inf"), -1.0])
def test_impossible_tolerances_are_refused(tolerance):
    with pytest.raises(InputError, match="finite number, at least 0"):
        compare("y", np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32), tolerance)


@pytest.mark.parametrize(
    ("got", "want", "texts"),
    [
        (np.float32(-0.12217960506677628), np.float32(-0.12217959761619568), ("-0.122179605", "-0.122179598")),
        (np.float64(0.1), np.nextafter(0.1, 1), ("0.10000000000000001", "0.10000000000000002")),
        (np.float32(1.5), np.float32(2.5), ("1.5", "2.5")),
    ],
)
def test_values_that_differ_look_different(got: np.floating, want: np.floating, texts: tuple[str, str]) -> None:
    verdict = compare("y", np.array([got]), np.array([want]), 1e-9)
    assert str(verdict).endswith(f": {texts[0]}, golden {texts[1]}")


def test_names_of_several_lines_are_told_in_one() -> None:
    verdict = compare("a\nb\x1b[2J", np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32))
    assert str(verdict).startswith("FAIL  a\\nb\\x1b[2J: ") and len(str(verdict).splitlines()) == 1
