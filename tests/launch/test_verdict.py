"""Verdicts: limits, exactness, NaN and infinities, classifiers."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from emu.errors import InputError
from launch.verdict import compare, compare_all

NAN, INF = float("nan"), float("inf")


def f32(*values: float) -> np.ndarray:
    return np.array([values], np.float32)


def test_worst_element_and_numbers() -> None:
    want = np.array([[1.0, -4.0], [2.0, 3.0]], np.float32)
    got = want + np.array([[0, 0], [0.5, 0.25]], np.float32)
    verdict = compare("y", got, want)
    assert (verdict.max_abs, verdict.max_golden, verdict.relative) == (0.5, 4.0, 0.125)
    assert (verdict.worst, verdict.got, verdict.want) == ((1, 0), 2.5, 2.0)
    assert (verdict.mismatches, verdict.passed) == (2, False)
    assert "FAIL  y: max|diff| 0.5" in str(verdict)
    assert "[1, 0]: 2.5, golden 2" in str(verdict)


@pytest.mark.parametrize(("difference", "passed"), [(0.9e-4, True), (1.1e-4, False)])
def test_float_limit_is_relative_to_the_largest_golden(difference: float, passed: bool) -> None:
    want = np.array([[100.0, 0.0]])
    assert compare("y", want + np.array([[0, 100 * difference]]), want).passed is passed


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
    json.loads(json.dumps(verdict.to_dict(), allow_nan=False))


def test_nans_are_told_also_when_they_are_right() -> None:
    assert "PASS  y: max|diff| 0, max|golden| 0, relative 0, 3 of 3 elements are NaN" in str(
        compare("y", f32(NAN, NAN, NAN), f32(NAN, NAN, NAN))
    )
    assert "NaN" not in str(compare("y", f32(1, 2), f32(1, 2)))


def test_argmax_only_for_one_vector_per_sample() -> None:
    want = np.zeros((3, 1, 10, 1, 1), np.float32)
    want[:, 0, 4] = 1
    got = want.copy()
    got[2, 0, 7] = 2
    assert compare("y", got, want).argmax_agree == 2
    assert compare("y", np.zeros((1, 3, 4), np.float32), np.zeros((1, 3, 4), np.float32)).argmax_agree is None
    assert compare("y", want.astype(np.int32), want.astype(np.int32)).argmax_agree is None


def test_missing_output_and_wrong_shape_are_named() -> None:
    with pytest.raises(InputError, match=r"\(file\) have no output 'y': they hold 'z'"):
        compare_all({"y": f32(1)}, {"z": f32(1)}, "file")
    with pytest.raises(InputError, match=r"'y' has shape \(1, 1\), its golden values \(1, 2\)"):
        compare_all({"y": f32(1)}, {"y": f32(1, 2)}, "file")


@given(hnp.arrays(np.float32, hnp.array_shapes(min_dims=1, max_dims=3, max_side=4)))
def test_every_tensor_equals_itself(array: np.ndarray) -> None:
    verdict = compare("y", array, array.copy(), tolerance=0)
    assert verdict.passed
    assert verdict.max_abs == 0


@pytest.mark.parametrize("tolerance", [float("nan"), float("inf"), -1.0])
def test_impossible_tolerances_are_refused(tolerance):
    with pytest.raises(InputError, match="finite number, at least 0"):
        compare("y", np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32), tolerance)
