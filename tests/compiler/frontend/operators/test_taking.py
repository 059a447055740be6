"""Gather by known indices, and the progressions that they are cut into."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import compile_in_memory
from one_nodes import SMALL, check, computed, dtypes, granularities, node_model, numbers, shapes

from compiler.frontend.operators.taking import pieces, progressions, two_digits
from emu.errors import CompileError

F4 = np.dtype("f4")


@given(st.lists(st.integers(0, 5), max_size=12))
def test_progressions_are_the_indices(indices):
    runs = progressions(indices)
    assert [first + step * at for first, step, count in runs for at in range(count)] == indices
    assert len(runs) <= max(1, (len(indices) + 1) // 2)


@given(st.integers(0, 9), st.integers(-3, 3), st.integers(2, 4), st.integers(-3, 3), st.integers(2, 4))
def test_two_digits_are_found(first, outer, rows, inner, columns):
    indices = first + outer * np.arange(rows)[:, None] + inner * np.arange(columns)
    found = two_digits(indices.reshape(-1))
    assert found is not None and pieces(indices.reshape(-1)) == 1
    (begin, step, count), (_, fine, times) = found
    made = begin + step * np.arange(count)[:, None] + fine * np.arange(times)
    np.testing.assert_array_equal(made.reshape(-1), indices.reshape(-1))


@given(st.data(), shapes(), dtypes, granularities)
def test_gathers(data, shape, dtype, granularity):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    size = shape[axis]
    wanted = data.draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,), (5,)]))
    indices = np.array(
        data.draw(st.lists(st.integers(-size, size - 1), min_size=int(np.prod(wanted)), max_size=int(np.prod(wanted)))),
        data.draw(st.sampled_from([np.int32, np.int64])),
    ).reshape(wanted)
    x = {"x": numbers(dtype.numpy, shape)}
    check(node_model("Gather", x, [indices], axis=axis), x, granularity)


@pytest.mark.parametrize(
    ("indices", "words"),
    [([0, 5], "takes index 0 to 5 of axis 0, which has 5"), ([-6], "takes index -6")],
)
def test_what_cannot_be_taken_is_refused(indices, words):
    x = {"x": numbers(F4, (5,))}
    with pytest.raises(CompileError, match=words):
        computed(node_model("Gather", x, [np.array(indices)]), x)


@pytest.mark.parametrize(("count", "looked_up"), [(9, False), (2000, True)])
def test_indices_of_many_progressions_are_looked_up(count, looked_up):
    x, indices = {"x": numbers(F4, (5,))}, np.random.default_rng(0).integers(0, 5, count)
    model = node_model("Gather", x, [indices])
    check(model, x)
    assert ("kernel.gather" in str(compile_in_memory(model, SMALL).module)) == looked_up
