"""Archives of arrays: any name, any order, and nothing believed about sizes."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from emu.errors import InputError
from launch.npz import read_npz, write_npz

ARRAYS = hnp.arrays(
    st.sampled_from(["f4", "f2", "i1", "u1", "i8", "?"]),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["in0", "file", "/conv1/Conv", "a.npy", "é"]), ARRAYS))
def test_written_arrays_come_back(tmp_path: Path, arrays: dict[str, np.ndarray]) -> None:
    write_npz(tmp_path / "x.npz", arrays)
    back = read_npz(tmp_path / "x.npz")
    assert [(k, v.dtype, v.shape, v.tobytes()) for k, v in back.items()] == [
        (k, v.dtype, v.shape, v.tobytes()) for k, v in arrays.items()
    ]


def test_archives_of_numpy_are_read(tmp_path: Path) -> None:
    grid = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    np.savez_compressed(tmp_path / "x.npz", grid=grid)
    assert np.array_equal(read_npz(tmp_path / "x.npz")["grid"], grid)


def test_pickled_objects_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", bad=np.array([{}], dtype=object))
    with pytest.raises(InputError, match=r"'bad' of .*object"):
        read_npz(tmp_path / "x.npz")


def test_claimed_shape_is_not_allocated(tmp_path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40, 1 << 20)})
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("huge.npy", header.getvalue() + b"1234")
    with pytest.raises(InputError, match=r"'huge'.*claims shape"):
        read_npz(tmp_path / "x.npz")


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x05\x06" + b"\xff" * 18])
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.npz is not a readable"):
        read_npz(tmp_path / "x.npz")


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_npz(tmp_path / "none.npz")
