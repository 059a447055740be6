"""Products that are bound to their vectors have the bits of those that are not, also once weights are written."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.arch import Arch
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.origin import Origin, Position
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec

HERE = Origin(Position(0), 0)
FLOATS, BYTES = (DType.f32,) * 3, (DType.i8, DType.i8, DType.i32)


def made(types, tiles, cols, rng):
    spec = GroupSpec(*types, tuple(tiles), (cols,))
    group = make_crossbar(spec, Arch())
    weights = np.zeros((spec.rows, spec.padded_cols), spec.weight.numpy)
    weights[:, :cols] = rng.integers(-9, 9, (spec.rows, cols)) * (0.3 if spec.weight.is_float else 1)
    group.program(weights, 0, 0)
    return spec, group


@settings(max_examples=examples(80, 300), deadline=None)
@given(
    st.sampled_from([FLOATS, BYTES, (DType.f16, DType.f16, DType.f16)]),
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.integers(1, 70),
    st.sampled_from([(), (1,), (2,), (7, 3)]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["dense", "apart", "in another order", "in the place of the vectors"]),
    st.integers(0, 99),
)
def test_bound_products(types, tiles, cols, box, accumulate, relu, places, seed):
    rng = np.random.default_rng(seed)
    spec, group = made(types, tiles, cols, rng)
    width = max(cols, spec.rows)
    memory = rng.integers(-9, 9, (3, *box, width + 3)).astype(spec.output.numpy)
    x = rng.integers(-9, 9, (*box, spec.rows)).astype(spec.input.numpy)

    def vectors(held):
        target = held[0][..., :cols] if places != "dense" else held[0].reshape(-1)[: cols * (x.size // spec.rows)]
        if places == "in another order" and len(box) > 1:
            target = np.moveaxis(held[0].reshape(*box[::-1], -1), 0, 1)[..., :cols]
        if places == "in the place of the vectors" and spec.input == spec.output:
            held[0][..., : spec.rows] = x
            return held[0][..., :cols], held[0][..., : spec.rows]
        return target.reshape(*box, cols) if places == "dense" else target, x

    with np.errstate(all="ignore"):
        for turn in range(3):
            if turn == 2:
                values = rng.integers(-9, 9, (1, spec.cols)).astype(spec.weight.numpy)
                group.write(spec.rows - 1, values, HERE)
            wanted, found = memory.copy(), memory.copy()
            group.multiply(*vectors(wanted), accumulate, relu, HERE)
            arguments = vectors(found)
            call = group.bound(*arguments, accumulate, relu, HERE)
            if turn == 1:  # what it was bound to is gone before it is called
                group.write(0, rng.integers(-9, 9, (1, spec.cols)).astype(spec.weight.numpy), HERE)
                wanted = memory.copy()
                group.multiply(*vectors(wanted), accumulate, relu, HERE)
            call()
            assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("types", [FLOATS, BYTES])
def test_a_bound_product_reads_its_vectors_when_it_is_called(types):
    rng = np.random.default_rng(1)
    spec, group = made(types, [8, 8], 16, rng)
    x, dst = np.zeros((3, 16), spec.input.numpy), np.zeros((3, 16), spec.output.numpy)
    call = group.bound(dst, x, False, False, HERE)
    for value in (1, 2, 3):
        x[...] = value
        call()
        np.testing.assert_allclose(dst[0], value * group.content().astype(np.float64).sum(0), rtol=1e-5)
