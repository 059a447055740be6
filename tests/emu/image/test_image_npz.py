"""Array files: odd names and orders survive, claims are checked, nothing is unpickled."""

import io
import zipfile

import numpy as np
import pytest

from emu.errors import InputError
from emu.image.npz import read_npy, read_npz, write_npz


def test_round_trip(tmp_path):
    arrays = {"file": np.arange(6).reshape(2, 3), "/conv1/out": np.float32(2).reshape(()), "b": np.zeros((0, 3), bool)}
    arrays["f"] = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    write_npz(tmp_path / "a.npz", arrays)
    read = read_npz(tmp_path / "a.npz")
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)


def test_compressed_archives_are_read(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", x=np.ones(1000))
    assert read_npz(tmp_path / "a.npz")["x"].sum() == 1000


def test_npy_files(tmp_path):
    np.save(tmp_path / "w.npy", np.arange(4, dtype=np.int8))
    assert read_npy(tmp_path / "w.npy").tolist() == [0, 1, 2, 3]
    with pytest.raises(InputError, match=r"none\.npy does not exist"):
        read_npy(tmp_path / "none.npy")


def test_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.array([{}], object))
    with pytest.raises(InputError, match=r"a.npz is no readable .npz file: array 'x': elements of type object"):
        read_npz(tmp_path / "a.npz")


def test_claimed_shapes_are_not_trusted(tmp_path):
    member = io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40,)})
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("x.npy", member.getvalue() + b"1234")
    with pytest.raises(InputError, match=r"array 'x': shape \(1099511627776,\) of float64 does not agree"):
        read_npz(tmp_path / "a.npz")
    (tmp_path / "x.npy").write_bytes(member.getvalue())
    with pytest.raises(InputError, match=r"x.npy is no readable .npy file: shape \(1099511627776,\)"):
        read_npy(tmp_path / "x.npy")


@pytest.mark.parametrize("length", [0, 10, 100, 300])
def test_truncated_archives_are_refused(tmp_path, length):
    write_npz(tmp_path / "a.npz", {"x": np.arange(100)})
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:length])
    with pytest.raises(InputError, match=r"a.npz is no readable .npz file"):
        read_npz(tmp_path / "a.npz")


def test_missing_archives_are_named(tmp_path):
    with pytest.raises(InputError, match=r"b\.npz does not exist"):
        read_npz(tmp_path / "b.npz")
