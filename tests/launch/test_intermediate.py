"""Kept tensors: tiles put together, choice by node or tensor, golden values in the form of tiles."""

from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS

from emu.errors import InputError
from emu.isa.dtypes import DType
from emu.program.program import BufferSpec
from launch.intermediate import as_extent, choose, closest, kept_tensors, node_outputs

TENSOR = np.arange(5 * 2 * 3, dtype=np.float32).reshape(5, 2, 3)


def buffer(name: str, low: int, high: int, width: int = 3) -> BufferSpec:
    return BufferSpec(name, (low, high), 2, width, DType.f32, 0, 0)


def test_tiles_of_several_cores_become_one_tensor() -> None:
    buffers = {0: [buffer("t", 0, 2), buffer("u", 0, 1)], 4: [buffer("t", 2, 5)], 5: [buffer("t", 2, 5)]}
    kept = kept_tensors(buffers)
    captures = {
        (core, index): np.ascontiguousarray(TENSOR[low:high].transpose(1, 2, 0)).tobytes()
        for core, index, low, high in [(0, 0, 0, 2), (4, 0, 2, 5), (5, 0, 2, 5)]
    }
    assert kept["t"].extent == (5, 2, 3)
    assert np.array_equal(kept["t"].assemble(captures), TENSOR)
    assert kept["u"].extent == (1, 2, 3)


@pytest.mark.parametrize(
    "tiles", [[buffer("t", 1, 5)], [buffer("t", 0, 2), buffer("t", 3, 5)], [buffer("t", 0, 2), buffer("t", 2, 5, 4)]]
)
def test_incomplete_tensors_are_left_out(tiles: list[BufferSpec]) -> None:
    assert kept_tensors({0: tiles}) == {}


def test_choice_by_node_tensor_or_all() -> None:
    kept = kept_tensors({0: [buffer("b", 0, 5), buffer("a", 0, 5), buffer("made", 0, 5)]})
    nodes = {"first": ("a",), "second": ("b", "c")}
    assert [t.name for t in choose(["all"], kept, nodes)] == ["a", "b", "made"]
    assert [t.name for t in choose(["second", "made"], kept, nodes)] == ["b", "made"]
    with pytest.raises(InputError, match=r"--keep 'third': no core holds it whole; .* 'a', 'b', 'made', or all"):
        choose(["third"], kept, nodes)


@pytest.mark.parametrize(
    ("golden", "extent"),
    [
        (TENSOR[None, None], (5, 2, 3)),
        (TENSOR.reshape(1, 1, 30), (5, 2, 3)),
        (TENSOR[:, 0, 0].reshape(1, 1, 5), (5, 1, 1)),
        (np.ascontiguousarray(TENSOR[:, 0].T)[None, None], (5, 1, 3)),  # tokens as rows
        (TENSOR[:, 0][None, None], (5, 1, 3)),
    ],
)
def test_golden_takes_the_form_of_tiles(golden: np.ndarray, extent: tuple[int, ...]) -> None:
    (form,) = as_extent(golden, extent)
    assert np.array_equal(form[0], TENSOR[:, : extent[1], : extent[2]])


def test_golden_of_other_size_has_no_form() -> None:
    assert as_extent(TENSOR[None, None], (5, 2, 4)) == []
    assert as_extent(TENSOR[None, None], (2, 5, 3)) == []


@pytest.mark.parametrize("last", [False, True])
def test_as_many_tokens_as_channels_are_right_either_way_but_nothing_else_is(last: bool) -> None:
    square = np.arange(9.0).reshape(3, 3)
    forms = as_extent(square[None, None], (3, 1, 3))
    assert len(forms) == 2
    held = (square.T if last else square).reshape(1, 3, 1, 3)
    assert np.array_equal(closest(forms, held), held)
    assert not np.array_equal(closest(forms, held + 1), held + 1)


def test_nodes_of_a_model(tmp_path: Path) -> None:
    assert node_outputs(DIGITS)["node_relu"] == ("relu",)
    (tmp_path / "bad.onnx").write_bytes(b"junk")
    with pytest.raises(InputError, match=r"bad.onnx is not a readable ONNX"):
        node_outputs(tmp_path / "bad.onnx")
