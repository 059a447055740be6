"""Slice, Expand, Tile, DepthToSpace and SpaceToDepth move elements of every type as onnxruntime does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_nodes import check, computed, dtypes, granularities, node_model, numbers, shapes

from emu.errors import CompileError
from emu.isa.dtypes import DType

INT = np.int64
LIMITS = np.iinfo(INT)
bounds = st.integers(-8, 8)
steps_of_slices = st.sampled_from([1, 2, 3, -1, -2, -7])


@given(st.data(), shapes(smallest=0), dtypes, granularities)
def test_slices(data, shape, dtype, granularity):
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    steps = [data.draw(steps_of_slices) for _ in axes]
    starts = [data.draw(bounds) for _ in axes]
    # onnxruntime does not clamp the largest number of all where it goes backwards, as the standard says
    ends = [data.draw(bounds | st.just(LIMITS.max if step > 0 else LIMITS.min)) for step in steps]
    signed = [axis - data.draw(st.sampled_from([0, len(shape)])) for axis in axes]
    x = {"x": numbers(dtype.numpy, shape)}
    check(node_model("Slice", x, [np.array(part, INT) for part in (starts, ends, signed, steps)]), x, granularity)


def test_a_slice_of_an_old_operator_set():
    x = {"x": numbers(np.dtype("f4"), (3, 5))}
    check(node_model("Slice", x, opset=9, starts=[1, -3], ends=[9, -1], axes=[0, 1]), x)
    check(node_model("Slice", x, opset=9, starts=[1], ends=[3]), x)


@given(st.data(), shapes(ranks=(0, 4)), dtypes, granularities)
def test_expansions(data, shape, dtype, granularity):
    ahead = data.draw(st.lists(st.integers(1, 3), max_size=2))
    wanted = [*ahead, *(data.draw(st.integers(1, 4)) if size == 1 else size for size in shape)]
    kept = [data.draw(st.sampled_from([size, 1])) if at >= len(ahead) else size for at, size in enumerate(wanted)]
    kept = [1 if size not in (1, other) else size for size, other in zip(kept, wanted, strict=True)]
    x = {"x": numbers(dtype.numpy, shape)}
    check(node_model("Expand", x, [np.array(kept, INT)]), x, granularity)


@given(st.data(), shapes(), dtypes.filter(lambda dtype: dtype not in (DType.f16, DType.i16, DType.u16)), granularities)
def test_tiles(data, shape, dtype, granularity):
    repeats = data.draw(st.lists(st.integers(0, 3), min_size=len(shape), max_size=len(shape)))
    x = {"x": numbers(dtype.numpy, shape)}
    check(node_model("Tile", x, [np.array(repeats, INT)]), x, granularity)


def test_tiles_of_types_that_onnxruntime_does_not_repeat():
    x = {"x": numbers(np.dtype("f2"), (3, 2))}
    found = computed(node_model("Tile", x, [np.array([2, 3])]), x)
    np.testing.assert_array_equal(found["y"], np.tile(x["x"], (2, 3)))


@given(
    st.sampled_from(["DepthToSpace", "SpaceToDepth"]),
    st.sampled_from(["DCR", "CRD"]),
    st.integers(1, 3),
    shapes(ranks=(4, 4), largest=3),
    granularities,
)
def test_blocks_of_pixels_and_channels(kind, mode, block, shape, granularity):
    batch, channels, height, width = shape
    if kind == "DepthToSpace":
        x = {"x": numbers(np.dtype("f4"), (batch, channels * block**2, height, width))}
        check(node_model(kind, x, blocksize=block, mode=mode), x, granularity)
        return
    x = {"x": numbers(np.dtype("f4"), (batch, channels, height * block, width * block))}
    made = computed(node_model(kind, x, opset=28, blocksize=block, mode=mode), x, granularity)["y"]
    cut = x["x"].reshape(batch, channels, height, block, width, block)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    np.testing.assert_array_equal(made, cut.transpose(order).reshape(made.shape))


@pytest.mark.parametrize(
    ("kind", "constants", "attributes", "words"),
    [
        ("Slice", [[0], [2], [0], [0]], {}, "step of 0"),
        ("Slice", [[0, 1], [2], [0]], {}, "as many of each"),
        ("Slice", [[0], [2], [5]], {}, "has axis 5"),
        ("Slice", [[0, 0], [2, 2], [0, 0]], {}, "names an axis twice"),
        ("Expand", [[5]], {}, "they do not broadcast"),
        ("Tile", [[2]], {}, "one number from 0 on for each axis"),
        ("DepthToSpace", [], {"blocksize": 2}, "cannot spread 3 channels|its shapes do not fit"),
        ("SpaceToDepth", [], {"blocksize": 3}, "cannot cut 4 x 4 pixels|its shapes do not fit"),
    ],
)
def test_what_does_not_fit_is_refused(kind, constants, attributes, words):
    x = {"x": numbers(np.dtype("f4"), (1, 3, 4, 4))}
    model = node_model(kind, x, [np.array(part, INT) for part in constants], **attributes)
    with pytest.raises(CompileError, match=words):
        computed(model, x)
