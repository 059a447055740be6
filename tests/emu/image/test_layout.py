"""Channel tiles of global memory: both directions, against plain NumPy."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies_programs import forms
from tensors import cuts, tensor

from emu.errors import InputError
from emu.image.layout import from_memory, layout_fault, to_tiles
from emu.image.manifest import TensorSpec, TensorTile, end_of
from emu.isa.dtypes import DType
from emu.program.form import Form

LAYOUTS = {
    ("", "C", "H", "W"): lambda c, h, w: (1, c, h, w),
    ("", "H", "W", "C"): lambda c, h, w: (1, h, w, c),
    ("C", "H", "W"): lambda c, h, w: (c, h, w),
    ("", "CHW"): lambda c, h, w: (1, c * h * w),
    ("HW", "C"): lambda c, h, w: (h * w, c),
    ("", "C", "", "HW"): lambda c, h, w: (1, c, 1, h * w),
    ("WCH",): lambda c, h, w: (c * h * w,),
}


@st.composite
def specs(draw):
    c, h, w = (draw(st.integers(1, 5)) for _ in range(3))
    layout = draw(st.sampled_from(sorted(LAYOUTS)))
    dtype = draw(st.sampled_from(list(DType)))
    form = Form(LAYOUTS[layout](c, h, w), (c, h, w), layout)
    return boxed(draw, draw(st.one_of(st.just(form), forms())), dtype)


def boxed(draw, form, dtype):
    address, tiles = draw(st.integers(0, 9)), []
    for box in draw(cuts(form.whole)):
        tiles.append(TensorTile(box, address))
        address += prod(high - low for low, high in box) * dtype.size + draw(st.integers(0, 3))
    return TensorSpec("x", form, dtype, tuple(tiles))


@given(specs(), st.integers(0, 1000))
def test_what_is_stored_is_read_back(spec, seed):
    array = np.random.default_rng(seed).integers(0, 2, spec.shape).astype(spec.dtype.numpy)
    memory = bytearray(4096)
    tiles = to_tiles(spec, array)
    assert spec.ranges == [(address, address + content.nbytes) for address, content in tiles]
    assert end_of([spec]) == max(end for _, end in spec.ranges)
    for address, content in tiles:
        assert content.flags.c_contiguous
        memory[address : address + content.nbytes] = content.tobytes()
    back = from_memory(spec, lambda address, size: memoryview(memory)[address : address + size])
    assert layout_fault(spec) == ""
    assert (back.shape, back.dtype) == (array.shape, array.dtype)
    np.testing.assert_array_equal(back, array)


def test_tiles_are_height_width_channel():
    spec = tensor("x", (1, 3, 2, 2), DType.f32, (3, 2, 2), ("", "C", "H", "W"), ((0, 2), 0), ((2, 3), 100))
    array = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    (first, low), (second, high) = to_tiles(spec, array)
    assert (first, second) == (0, 100)
    np.testing.assert_array_equal(low, array[0, :2].transpose(1, 2, 0))
    np.testing.assert_array_equal(high[:, :, 0], array[0, 2])


def test_a_vector_has_no_height_and_width():
    spec = tensor("y", (1, 4), DType.i32, (4, 1, 1), ("", "C"), ((0, 4), 8))
    assert from_memory(spec, lambda address, size: bytes(range(size))).tolist()[0][0] == 0x03020100


@pytest.mark.parametrize("array", [np.zeros((1, 4), np.float32), np.zeros((4,), np.int32)])
def test_wrong_shape_or_dtype_is_refused(array):
    spec = tensor("y", (1, 4), DType.i32, (4, 1, 1), ("", "C"), ((0, 4), 8))
    with pytest.raises(InputError, match=r"tensor 'y' is .*, expected int32\[1, 4\]"):
        to_tiles(spec, array)


@pytest.mark.parametrize(
    ("shape", "extent", "layout", "tiles", "message"),
    [
        ((1, 4), (4, 1, 1), ("C",), [(0, 4)], "must name axes C, H, W once at most, for 2 dimensions"),
        ((4, 4), (4, 4, 1), ("C", "C"), [(0, 4)], "must name axes"),
        ((4,), (4, 1, 1), ("X",), [(0, 4)], "must name axes"),
        ((5,), (4, 1, 1), ("C",), [(0, 4)], "is not extent"),
        ((4,), (4, 2, 1), ("C",), [(0, 4)], "is not extent"),
        ((-1,), (-1, 1, 1), ("C",), [], "must not be negative"),
        ((4,), (4, 1), ("C",), [(0, 4)], "must hold 3 to 13 sizes"),
        ((4,), (4, *[1] * 13), ("C",), [(0, 4)], "must hold 3 to 13 sizes"),
        ((4,), (4, 1, 1), ("C",), [], "its tiles none must cover [0:1, 0:1, 0:4] once"),
        ((4,), (4, 1, 1), ("C",), [(0, 3)], "its tiles [0:1, 0:1, 0:3] must cover [0:1, 0:1, 0:4] once"),
        ((4,), (4, 1, 1), ("C",), [(0, 3), (2, 4)], "must cover [0:1, 0:1, 0:4] once"),
        ((4,), (4, 1, 1), ("C",), [(0, 4), (4, 4)], "channels 4 to 4, which is empty"),
        ((4,), (4, 1, 1), ("C",), [(0, 5)], "channels 0 to 5 of a tensor that has 4"),
    ],
)
def test_contradictions_are_named(shape, extent, layout, tiles, message):
    boxes = [(*((0, size) for size in extent[1:]), channels) for channels in tiles]
    spec = TensorSpec("x", Form(shape, extent, layout), DType.i8, tuple(TensorTile(box, 0) for box in boxes))
    assert message in layout_fault(spec)


def test_a_scalar_stays_one():
    spec = tensor("s", (), DType.f32, (1, 1, 1), (), ((0, 1), 0))
    assert layout_fault(spec) == ""
    ((address, tile),) = to_tiles(spec, np.array(2.5, "<f4"))
    assert address == 0 and from_memory(spec, lambda at, size: tile.tobytes()).shape == ()
