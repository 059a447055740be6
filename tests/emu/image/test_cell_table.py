"""The table of cells: numbers as runs, a text per group, and what is refused of a damaged one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emu.errors import ProgramError
from emu.image.cell_table import CellTable, cell_record, cell_table, cells_from_json, cells_of
from emu.image.cells import NOTHING, Cells, numbers_from_text, numbers_text
from emu.image.json_fields import Field
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

GROUP = GroupSpec(DType.f32, DType.f32, DType.f32, (4,), (2,))
TABLE = CellTable(("conv",), (("w", (2, 4)),), {3: ("0 0 0:4*1 0:2*4",)})


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=40))
def test_numbers_come_back(numbers: list[int]) -> None:
    assert numbers_from_text(numbers_text(numbers)).tolist() == numbers


@given(st.integers(0, 99), *[st.integers(1, 9)] * 2, *[st.integers(-9, 99)] * 2)
def test_runs_of_runs_are_short(first: int, outer: int, inner: int, far: int, near: int) -> None:
    numbers = (first + np.arange(outer)[:, None] * far + np.arange(inner) * near).reshape(-1)
    assert numbers_from_text(numbers_text(numbers)).tolist() == numbers.tolist()
    long = np.concatenate([np.arange(7) * 1000 + k for k in range(50)])
    assert numbers_text(long) == "0:50*1:7*1000"


@pytest.mark.parametrize(
    "text", ["", "x", "1:", "1:2", "1:0*1", "1:2*", "1:99999999*1", "1:9999*1:9999*1", "1,", "0x1"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        numbers_from_text(text)


def test_cells_come_back() -> None:
    rows, columns = np.arange(8, dtype=np.int64), np.arange(4, dtype=np.int64) * 8
    blocks = Cells("depthwise", "v", (4, 8), rows % 2, columns, 2, 2)
    cores = {0: [Cells("dense", "w", (4, 8), rows, columns), Cells("resize")], 7: [blocks]}
    table = cells_from_json(Field(cell_record(cell_table(cores)), "a file", "crossbars"), 8)
    specs = {core: [replace(GROUP, row_tiles=(8,), col_tiles=(4,)) for _ in groups] for core, groups in cores.items()}
    for core, groups in cores.items():
        for found, wanted in zip(cells_of(table, core, specs[core], "here"), groups, strict=True):
            assert (found.node, found.tensor, found.shape) == (wanted.node, wanted.tensor, wanted.shape)
            assert found.known == wanted.known
            assert not wanted.known or np.array_equal(found.elements(), wanted.elements())
    held = blocks.elements()
    assert (held != NOTHING).sum() == held.size // 2
    assert held.tolist() == [[blocks.element(row, column) for column in range(4)] for row in range(8)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1", "'1' is no number below 1"),
        ("0 0", "1, 4 or 6 words"),
        ("0 3 0:4*1 0:2*4", "'3' is no number below 1"),
        ("0 0 0:4*1 x", "'x' is no number"),
        ("0 0 0:3*1 0:2*4", "maps 3 x 2 cells of a group of 4 x 2"),
        ("0 0 0:4*1 0:2*5", "names elements 0 to 8 of a tensor of 8"),
        ("0 0 -1:4*1 0:2*4", "names elements -1 to 6 of a tensor of 8"),
        ("0 0 0:4*1 0:2*4 3 1", "3 blocks of 1 channels"),
        ("0 0 0:4*1 0:2*4 0 1", "it has no blocks"),
    ],
)
def test_a_damaged_text_is_named(text: str, sentence: str) -> None:
    with pytest.raises(ProgramError, match=f"here: crossbars: core 3, group 0: .*{sentence}"):
        cells_of(replace(TABLE, cores={3: (text,)}), 3, [GROUP], "here")


def test_a_table_of_other_groups_is_refused() -> None:
    with pytest.raises(ProgramError, match="here: crossbars: lists 1 groups of core 3, which has 2"):
        cells_of(TABLE, 3, [GROUP, GROUP], "here")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"more": 1}, "unknown key 'more'"),
        ({"cores": [{"core": 9, "groups": []}]}, "cores\\[0\\].core: expected an integer from 0 to 7"),
        ({"cores": [{"core": 1, "groups": []}] * 2}, "core 1 occurs twice"),
        ({"cores": [{"core": 1, "groups": [5]}]}, "groups\\[0\\]: expected a non-empty string"),
        ({"tensors": [{"tensor": "w", "shape": [-1]}]}, "shape\\[0\\]: expected an integer"),
    ],
)
def test_a_damaged_table_is_named(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(ProgramError, match=sentence):
        cells_from_json(Field(cell_record(TABLE) | change, "a file", "crossbars"), 8)
