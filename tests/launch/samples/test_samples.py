"""Inputs: the accepted shapes, the refusals in the user's words, seeds."""

import re
from pathlib import Path

import numpy as np
import pytest
from tensors import tensor

from emu.errors import InputError
from emu.image.manifest import TensorSpec
from emu.image.npz import write_npz
from emu.isa.dtypes import DType
from launch.samples.inputs import check_inputs, each_sample, load_inputs, load_labels, seeded_inputs


def as_samples(array, tensor, where):
    return check_inputs({tensor.name: array}, [tensor], where)[tensor.name]


def spec(shape: tuple[int, ...], dtype: DType = DType.f32, name: str = "x") -> TensorSpec:
    extent = (int(np.prod(shape)), 1, 1)
    return tensor(name, shape, dtype, extent, ("",) * (len(shape) - 1) + ("C",), ((0, extent[0]), 0))


@pytest.mark.parametrize(
    ("logical", "given", "expected"),
    [
        ((1, 3, 8, 8), (1, 3, 8, 8), (1, 1, 3, 8, 8)),
        ((1, 3, 8, 8), (5, 3, 8, 8), (5, 1, 3, 8, 8)),
        ((1, 3, 8, 8), (5, 1, 3, 8, 8), (5, 1, 3, 8, 8)),
        ((4, 2), (4, 2), (1, 4, 2)),
        ((4, 2), (7, 4, 2), (7, 4, 2)),
        ((1,), (6,), (6, 1)),
        ((), (), (1,)),
        ((), (3,), (3,)),
    ],
)
def test_accepted_shapes(logical: tuple[int, ...], given: tuple[int, ...], expected: tuple[int, ...]) -> None:
    array = np.arange(np.prod(given), dtype=np.float32).reshape(given)
    samples = as_samples(array, spec(logical), "x.npz")
    assert samples.shape == expected
    assert samples.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((5, 3), np.float32), r"'x' of in.npz has shape (5, 3), expected (1, 4) or, for n samples, (n, 4)"),
        (np.zeros((2, 2, 4), np.float32), "has shape (2, 2, 4)"),
        (np.zeros((1, 4)), "'x' of in.npz is float64, expected float32"),
        (np.zeros((0, 4), np.float32), "holds no sample"),
    ],
)
def test_refused_arrays(array: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        as_samples(array, spec((1, 4)), "in.npz")


def test_wrong_name_tells_the_expected_one() -> None:
    with pytest.raises(InputError, match=r"no array 'x': it holds 'y', the network takes 'x' float32 \(1, 4\)"):
        check_inputs({"y": np.zeros((1, 4), np.float32)}, [spec((1, 4))], "in.npz")


def test_counts_must_agree() -> None:
    arrays = {"x": np.zeros((2, 1, 4), np.float32), "y": np.zeros((3, 1, 4), np.float32)}
    with pytest.raises(InputError, match="different numbers of samples: 'x' 2, 'y' 3"):
        check_inputs(arrays, [spec((1, 4)), spec((1, 4), name="y")], "in.npz")


def test_seeded_samples_do_not_depend_on_their_number() -> None:
    specs = [spec((1, 4)), spec((3,), DType.i8, "y"), spec((2,), DType.bool, "z")]
    few, many = seeded_inputs(specs, 7, 2), seeded_inputs(specs, 7, 5)
    assert all(np.array_equal(few[name], many[name][:2]) for name in few)
    assert {name: (array.shape, array.dtype) for name, array in many.items()} == {
        "x": ((5, 1, 4), np.dtype("f4")),
        "y": ((5, 3), np.dtype("i1")),
        "z": ((5, 2), np.dtype("?")),
    }
    assert not np.array_equal(many["x"][0], many["x"][1])
    assert not np.array_equal(seeded_inputs(specs, 8)["x"], few["x"][:1])


def test_samples_repeat_in_order(tmp_path: Path) -> None:
    write_npz(tmp_path / "in.npz", {"x": np.arange(8, dtype=np.float32).reshape(2, 4), "labels": np.array([3, 1])})
    inputs = load_inputs(tmp_path / "in.npz", [spec((1, 4))])
    assert list(inputs) == ["x"]
    firsts = [float(sample["x"][0, 0]) for sample in each_sample(inputs, 2)]
    assert firsts == [0, 4, 0, 4]
    assert load_labels(tmp_path / "in.npz", "labels", 2).tolist() == [3, 1]
    with pytest.raises(InputError, match="no array 'classes' for labels"):
        load_labels(tmp_path / "in.npz", "classes", 2)
    with pytest.raises(InputError, match="one integer per sample"):
        load_labels(tmp_path / "in.npz", "x", 2)
