"""What an export says beyond PIM-ISA is read as it was written, and nothing else."""

import copy

import numpy as np
import pytest
from images import byte_tensor

from emu.errors import InputError, ProgramError
from emu.image.json_fields import Field
from emu.interop.pim_isa.format.extension import KEY, Extension, read_changes, read_extension
from emu.isa.dtypes import DType

WHOLE = Extension(
    types={8: DType.u8, 32: DType.f32},
    changes={3: "core_3_types.npy"},
    weights={0: (DType.i8, DType.f32), 3: ()},
    inputs=(byte_tensor("x", 8, 0),),
    outputs=(byte_tensor("y", 8, 8),),
    memory="memory.bin",
    global_size=16,
)


def read(record):
    return read_extension(Field({"core_cnt": 4, KEY: record}, "program.json", "config"))


def test_it_comes_back() -> None:
    assert read(WHOLE.record()) == WHOLE
    assert read_extension(Field({"core_cnt": 4}, "program.json", "config")) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"types": {"8": "f32"}}, "program.json: config.reram_emu.types.8: f32 has 32 bits"),
        ({"types": {"8": "bool"}}, "types.8: bool is no type of numbers"),
        ({"types": {"8": "float"}}, "types.8: expected one of f16, f32, i16, i32, i64, i8, u16, u8, got 'float'"),
        ({"types": 8}, "types: expected an object, got 8"),
        ({"changes": {"core03": "x.npy"}}, "changes.core03: expected core0, core1, ..."),
        ({"changes": {"kern1": "x.npy"}}, "changes.kern1: expected core0, core1, ..."),
        ({"changes": {"core99999": "x.npy"}}, "changes.core99999: expected core0, core1, ..."),
        ({"changes": {"core1": "../x.npy"}}, "expected the name of a file in the same directory, got '../x.npy'"),
        ({"weights": {"core1": "f32"}}, "weights.core1: expected a list, got 'f32'"),
        ({"global_size": 15}, "outputs[0]: a tile is [8, 16) of a global memory in use of 15 bytes"),
        ({"global_size": -1}, "global_size: expected an integer from 0"),
        ({"memory": "a/b"}, "expected the name of a file"),
        ({"more": 1}, "unknown key 'more'"),
    ],
)
def test_mistakes_are_told(change, sentence) -> None:
    record = copy.deepcopy(WHOLE.record()) | change
    with pytest.raises(ProgramError) as error:
        read(record)
    assert sentence in str(error.value)


def test_a_missing_key_is_told() -> None:
    record = WHOLE.record()
    del record["weights"]
    with pytest.raises(ProgramError, match=r"config\.reram_emu: key 'weights' is missing"):
        read(record)


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.zeros((2, 3), np.int64), "expected int32[changes, 3], got int64[2, 3]"),
        (np.zeros((2, 2), np.int32), "expected int32[changes, 3], got int32[2, 2]"),
        (np.array([[1, 0, 0], [1, 2, 2]], np.int32), "the instructions (first column) do not ascend"),
        (np.array([[-1, 0, 0]], np.int32), "the instructions (first column) do not ascend"),
        (np.array([[0, 8, 0]], np.int32), "codes of element types of numbers"),
        (np.array([[0, 0, 77]], np.int32), "codes of element types of numbers"),
    ],
)
def test_mistakes_in_changes_are_told(tmp_path, array, sentence) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(ProgramError) as error:
        read_changes(tmp_path / "x.npy")
    assert sentence in str(error.value)
    assert str(tmp_path / "x.npy") in str(error.value)


def test_changes_come_back(tmp_path) -> None:
    wanted = np.array([[0, 0, 6], [9, 6, 0]], np.int32)
    np.save(tmp_path / "x.npy", wanted)
    assert np.array_equal(read_changes(tmp_path / "x.npy"), wanted)
    np.save(tmp_path / "none.npy", wanted[:0])
    assert not len(read_changes(tmp_path / "none.npy"))
    (tmp_path / "x.npy").write_bytes(b"nothing")
    with pytest.raises(InputError):
        read_changes(tmp_path / "x.npy")
