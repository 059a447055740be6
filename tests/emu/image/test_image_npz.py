"""Array files: odd names and orders survive, claims are checked, nothing is unpickled."""

import io
import zipfile

import numpy as np
import pytest

from emu.errors import InputError
from emu.image.npz import NpzMember, read_npy, read_npz, write_npz, write_npz_members


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


def npy_file(header):
    """The bytes of a file with the text `header`."""
    text = header.encode().ljust(117) + b"\n"
    return np.lib.format.magic(1, 0) + len(text).to_bytes(2, "little") + text


def test_headers_that_make_numpy_warn_are_read_or_refused_in_silence(tmp_path):
    """Warnings are errors in tests."""
    old = npy_file("{'descr': '<i2', 'fortran_order': False, 'shape': (2L,), }")  # Python 2 wrote such numbers
    (tmp_path / "old.npy").write_bytes(old + bytes([1, 0, 2, 0]))
    assert read_npy(tmp_path / "old.npy").tolist() == [1, 2]
    alias = npy_file("{'descr': 'a2', 'fortran_order': False, 'shape': (2,), }")
    (tmp_path / "alias.npy").write_bytes(alias + bytes(4))
    with pytest.raises(InputError, match=r"alias\.npy is no readable \.npy file: elements of type \|S2"):
        read_npy(tmp_path / "alias.npy")


@pytest.mark.parametrize("length", [0, 10, 100, 300])
def test_truncated_archives_are_refused(tmp_path, length):
    write_npz(tmp_path / "a.npz", {"x": np.arange(100)})
    (tmp_path / "a.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:length])
    with pytest.raises(InputError, match=r"a.npz is no readable .npz file"):
        read_npz(tmp_path / "a.npz")


def test_missing_archives_are_named(tmp_path):
    with pytest.raises(InputError, match=r"b\.npz does not exist"):
        read_npz(tmp_path / "b.npz")


@pytest.mark.parametrize("order", ["C", "F"])
def test_large_uncompressed_arrays_are_mapped_after_their_checksum(tmp_path, monkeypatch, order):
    monkeypatch.setattr("emu.image.npz.MAP_FROM", 1)
    arrays = {"a": np.arange(12, dtype="<f4").reshape(3, 4), "b": np.arange(5, dtype="i1"), "s": np.float64(3)}
    arrays["a"] = np.asarray(arrays["a"], order=order)
    path = tmp_path / "x.npz"
    write_npz(path, arrays)
    found = read_npz(path)
    assert all(np.array_equal(found[name], array) and not found[name].flags.owndata for name, array in arrays.items())
    content = path.read_bytes()
    damaged = content.replace(np.float32(7).tobytes(), np.float32(8).tobytes(), 1)
    assert damaged != content
    path.write_bytes(damaged)
    with pytest.raises(InputError, match="array 'a': Bad CRC-32"):
        read_npz(path)


def test_members_in_parts_give_the_same_file(tmp_path):
    arrays = {"a/b": np.arange(12, dtype="<f4").reshape(3, 4), "": np.zeros((0, 2), "<i8"), "s": np.array(True)}
    write_npz(tmp_path / "x.npz", arrays)
    members = [NpzMember(name, a.dtype, a.shape, [a.tobytes()[:5], a.tobytes()[5:]]) for name, a in arrays.items()]
    write_npz_members(tmp_path / "y.npz", members)
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
