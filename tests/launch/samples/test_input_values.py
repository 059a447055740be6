"""Inputs by name: numbers and files, of the type and size of the input."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from tensors import tensor

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.isa.dtypes import DType
from launch.samples.input_values import named_inputs, split_inputs


def spec(name: str, dtype: DType = DType.f32, shape: tuple[int, ...] = (1, 4)) -> TensorSpec:
    return tensor(name, shape, dtype, (shape[-1], 1, 1), ("", "C"), ((0, shape[-1]), 0))


def test_numbers_become_samples() -> None:
    found = named_inputs([("x", "1, 2.5,-3,nan")], [spec("x")])["x"]
    np.testing.assert_array_equal(found, np.array([[[1, 2.5, -3, np.nan]]], np.float32))
    assert found.dtype == np.float32
    assert named_inputs([("x", "1,2,3,4,5,6,7,8")], [spec("x")])["x"].shape == (2, 1, 4)


@pytest.mark.parametrize(
    ("dtype", "text", "values"),
    [
        (DType.i8, "-128,127,0,1", [-128, 127, 0, 1]),
        (DType.bool, "true,0,False,1", [True, False, False, True]),
        (DType.f16, "inf,1e-3,0,-1", [np.inf, 1e-3, 0, -1]),
        (DType.i64, "9223372036854775807,0,0,0", [9223372036854775807, 0, 0, 0]),
    ],
)
def test_every_type_is_read(dtype: DType, text: str, values: list[float]) -> None:
    found = named_inputs([("x", text)], [spec("x", dtype)])["x"]
    np.testing.assert_array_equal(found.reshape(-1), np.array(values, dtype.numpy))


def test_files(tmp_path: Path) -> None:
    array = np.arange(8, dtype=np.float32).reshape(2, 1, 4)
    np.save(tmp_path / "x.npy", array)
    np.testing.assert_array_equal(named_inputs([("x", str(tmp_path / "x.npy"))], [spec("x")])["x"], array)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([("x", "1,2,3")], r"--input x=...: 3 numbers, but 'x' float32 \(1, 4\) has 4 per sample"),
        ([("x", "1,2,a,4")], r"--input x=...: 'a' is no number of type float32"),
        ([("x", "1,,2,3")], r"'' is no number"),
        ([("x", "1e50,0,0,0")], r"'1e50' is no number of type float32"),
        ([("X", "1")], r"--input X=...: the inputs are 'x' float32 \(1, 4\), 'k' int8 \(1, 4\); did you mean 'x'"),
        ([("x", "1,2,3,4"), ("x", "1,2,3,4")], r"--input x=... is given twice"),
        ([("x", "1,2,3,4")], r"--input has no array 'k'"),
        ([("k", "128,0,0,0"), ("x", "1,2,3,4")], r"'128' is no number of type int8"),
        ([("k", "1.5,0,0,0"), ("x", "1,2,3,4")], r"'1.5' is no number of type int8"),
        ([("x", "1,2,3,4"), ("k", "1,2,3,4,5,6,7,8")], r"different numbers of samples"),
        ([("x", "/nowhere/x.npy")], r"/nowhere/x.npy does not exist"),
    ],
)
def test_mistakes_name_the_input(values: list[tuple[str, str]], message: str) -> None:
    with warnings.catch_warnings(), pytest.raises(InputError, match=message):
        warnings.simplefilter("error")
        named_inputs(values, [spec("x"), spec("k", DType.i8)])


def test_wrong_type_in_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((1, 4)))
    with pytest.raises(InputError, match=r"'x' of --input is float64, expected float32"):
        named_inputs([("x", str(tmp_path / "x.npy"))], [spec("x")])


def test_one_file_or_values() -> None:
    assert split_inputs([]) == (None, ())
    assert split_inputs([Path("a.npz")]) == (Path("a.npz"), ())
    assert split_inputs([("x", "1"), ("y", "2")]) == (None, (("x", "1"), ("y", "2")))
    for given in ([Path("a.npz"), Path("b.npz")], [Path("a.npz"), ("x", "1")]):
        with pytest.raises(InputError, match=r"--input takes one FILE.npz"):
            split_inputs(given)
