"""Array files: odd names and orders survive, claims are checked, nothing is unpickled."""

import io
import zipfile

import numpy as np
import pytest

from emu.errors import InputError
from emu.image.npz import Archive, NpzMember, read_npy, read_npz, write_npz, write_npz_members


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


def archive(path, method=zipfile.ZIP_STORED, **arrays):
    with zipfile.ZipFile(path, "w", method) as file:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array)
            file.writestr(f"{name}.npy", content.getvalue())
    return path


def test_arrays_are_read_when_they_are_asked_for(tmp_path, monkeypatch):
    path, opened = archive(tmp_path / "a.npz", x=np.arange(3), y=np.arange(4)), []
    inner = zipfile.ZipFile.open
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda self, info: opened.append(info.filename) or inner(self, info))
    with Archive(path) as arrays:
        assert "x" in arrays and "z" not in arrays and list(arrays) == ["x", "y"] and len(arrays) == 2
        assert opened == []
        assert arrays.header("x").shape == (3,) and arrays["y"].tolist() == [0, 1, 2, 3]
    assert opened == ["x.npy", "y.npy"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(tmp_path, method):
    with pytest.raises(InputError, match=rf"array 'x': compressed by method {method}, only deflate is known"):
        read_npz(archive(tmp_path / "a.npz", method, x=np.arange(3)))


def test_every_method_and_flag_byte_gives_a_sentence(tmp_path):
    """The method and the flags of a member, in both of its headers, hold any number."""
    whole = bytearray(archive(tmp_path / "a.npz", zipfile.ZIP_DEFLATED, x=np.arange(300)).read_bytes())
    central = whole.index(b"PK\x01\x02")
    for number in range(256):
        for local, other in ((6, 8), (8, 10)):  # flags, method
            content = whole.copy()
            content[local] = content[central + other] = number
            (tmp_path / "b.npz").write_bytes(content)
            try:
                assert read_npz(tmp_path / "b.npz")["x"].tolist() == list(range(300))
            except InputError as error:
                assert "b.npz is no readable .npz file" in str(error)


def test_encrypted_arrays_are_refused(tmp_path):
    content = bytearray(archive(tmp_path / "a.npz", x=np.arange(3)).read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(InputError, match="array 'x': it is encrypted"):
        read_npz(tmp_path / "a.npz")


def test_an_array_is_inflated_to_its_declared_size_and_no_further(tmp_path):
    """The directory says that there are 128 bytes; packed are a million."""
    path = archive(tmp_path / "a.npz", zipfile.ZIP_DEFLATED, x=np.zeros(1 << 17))
    content = path.read_bytes()
    size = (128 + (8 << 17)).to_bytes(4, "little")
    path.write_bytes(content.replace(size, (128).to_bytes(4, "little")))
    with pytest.raises(InputError, match="array 'x': Bad CRC-32"):
        read_npz(path)


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_long_headers_are_refused_unread(tmp_path, version):
    width = {(1, 0): 2, (2, 0): 4}[version]
    text = b" " * min(1 << 24, (1 << 8 * width) - 1)
    member = np.lib.format.magic(*version) + len(text).to_bytes(width, "little") + text
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x.npy", member)
    with pytest.raises(InputError, match=f"array 'x': its header has {len(text)} bytes, more than 10000"):
        read_npz(tmp_path / "a.npz")


def test_a_huge_table_of_contents_is_refused_unread(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.npz", **{f"x{k}": np.arange(1) for k in range(100)})
    monkeypatch.setattr("emu.image.npz.MAX_CONTENTS", 1000)
    with pytest.raises(InputError, match=r"its table of contents has [0-9]+ bytes, more than 1000"):
        read_npz(path)


def test_the_last_of_two_arrays_of_one_name_counts(tmp_path):
    path = archive(tmp_path / "a.npz", x=np.arange(3), y=np.arange(4))
    path.write_bytes(path.read_bytes().replace(b"y.npy", b"x.npy"))
    assert {name: array.tolist() for name, array in read_npz(path).items()} == {"x": [0, 1, 2, 3]}
