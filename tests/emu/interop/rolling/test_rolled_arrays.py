"""Rolled code in files: it comes back as it was, and damaged arrays are refused or do no harm."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from unrolled_nests import matrix_of, nests, rows_of

from emu.errors import ProgramError
from emu.interop.rolling.arrays import ARRAYS, rolled_from_arrays
from emu.interop.rolling.roll import roll

MOST = 3000
VALUES = st.one_of(
    st.integers(-3, 40), st.sampled_from([(1 << 31) - 1, 1 << 40, 1 << 61, 1 << 62, (1 << 63) - 1, -(1 << 63)])
)


def arrays_of(rolled):
    """The arrays of a file that hold rolled code."""
    return {name: np.ascontiguousarray(getattr(rolled, name), dtype) for name, (dtype, _) in ARRAYS.items()}


def nested():
    """Rows in a loop in a loop, between two rows."""
    rows = [[9, 0, 0], *([op, 10 * i + j, 3 * i] for i in range(4) for j in range(5) for op in (0, 1)), [8, 0, 0]]
    arrays = arrays_of(roll(np.array(rows, np.int64), [0]))
    assert arrays["trips"].tolist() == [0, 4, 5, 0, 0, 0]
    return arrays


@settings(max_examples=examples(25, 100))
@given(nests(ops=20))
def test_comes_back(nest):
    matrix = matrix_of(nest, 3)
    arrays = arrays_of(roll(matrix, [0]))
    assert set(arrays) == set(ARRAYS)
    assert np.array_equal(rolled_from_arrays(arrays, 3, "raw.npz", len(matrix)).unrolled(), matrix)


@pytest.mark.parametrize("extreme", [1 << 61, (1 << 63) - 1, -(1 << 63)])
def test_the_ends_of_64_bits_come_back(extreme):
    matrix = np.array([[0, extreme if row % 3 == 0 else row * (1 << 50)] for row in range(300)], np.int64)
    arrays = arrays_of(roll(matrix, [0]))
    assert np.array_equal(rolled_from_arrays(arrays, 2, "raw.npz", len(matrix)).unrolled(), matrix)


def test_steps_of_the_greatest_length_come_back():
    far = 1 << 48
    matrix = np.array([[op, x] for x in (-far, far) for op in range(5)], np.int64)
    rolled = roll(matrix, [0])
    assert rolled.loops == 1
    assert np.array_equal(rolled_from_arrays(arrays_of(rolled), 2, "raw.npz", len(matrix)).unrolled(), matrix)


@st.composite
def damages(draw):
    """A name of an array, and what is done to it."""
    name = draw(st.sampled_from(sorted(ARRAYS)))
    kind = draw(st.sampled_from(["value", "value", "value", "value", "row", "column", "type", "shape", "missing"]))
    place, value = draw(st.integers(0, 1 << 16)), draw(VALUES)

    def damaged(arrays):
        array = arrays[name].copy()
        if kind == "value" and array.size:
            array.flat[place % array.size] = np.int64(value).astype(array.dtype)
        elif kind == "row":
            array = array[: place % (len(array) + 1)]
        elif kind == "column":
            array = array[..., : place % (array.shape[-1] + 1)]
        elif kind == "type":
            array = array.astype(draw(st.sampled_from([np.float64, np.int16, np.bool_, object, "U3", ">i8"])))
        elif kind == "shape":
            array = array.reshape(-1, 1, 1)
        left = {other: value for other, value in arrays.items() if other != name}
        return left if kind == "missing" else {**left, name: array}

    return damaged


@settings(max_examples=examples(50, 400))
@given(nests(deepest=2, most_trips=4), st.lists(damages(), min_size=1, max_size=3))
def test_damaged_arrays_are_refused_or_unroll(nest, several):
    arrays = arrays_of(roll(matrix_of(nest, 3), [0]))
    for damage in several:
        if len(arrays) == len(ARRAYS) or damage is several[0]:
            arrays = damage(arrays)
    try:
        rolled = rolled_from_arrays(arrays, 3, "raw.npz", MOST)
    except ProgramError as error:
        assert str(error).startswith("raw.npz: ")
        return
    assert rolled.instructions <= MOST
    assert rolled.unrolled().tolist() == rows_of(rolled)


def changed(name, place, value):
    arrays = nested()
    arrays[name][place] = value
    return arrays


@pytest.mark.parametrize(
    "arrays, sentence",
    [
        ({}, "array 'trips' is missing"),
        ({**nested(), "end": np.zeros(6)}, "array 'end' has 1 dimensions of float64 instead of 1 of int64"),
        ({**nested(), "end": np.zeros(3, np.int64)}, "array 'end' has 3 rows, 'trips' has 6"),
        ({**nested(), "base": np.zeros((6, 2), np.int64)}, "array 'base' has 2 fields instead of 3"),
        ({**nested(), "stride": np.zeros((6, 17), np.int32)}, "loops are 17 deep, at most 16 are possible"),
        ({**nested(), "stride": np.zeros((6, 3), np.int32)}, "loops are 2 deep, array 'stride' has 3 columns"),
        ({**nested(), "strides": np.zeros((0, 3), np.int64)}, "row 0 of array 'strides' is not zero"),
        (changed("trips", 1, -1), "item 1: its trips are not within 0 and 2147483647"),
        (changed("trips", 1, 0), "item 1: it has an end and is no loop"),
        (changed("trips", 1, 1 << 30), "its loops unroll to more than 3000 instructions"),
        (changed("end", 1, 2), "item 1: the end of its loop is no end"),
        (changed("end", 1, 7), "item 1: the end of its loop is no end"),
        (changed("end", 1, 4), "item 1: its loop ends outside of the loop around it"),
        (changed("stride", (3, 1), 99), "item 3: it has a stride beyond"),
        (changed("stride", (0, 0), 1), "item 0: it has a stride for a loop that is not around it"),
        (changed("base", (1, 0), 1), "item 1: it is a loop and has fields"),
        (changed("base", (3, 1), (1 << 63) - 1), "item 3: a field of it leaves 64 bits in its loops"),
        (changed("strides", (1, 1), 1 << 61), "item 3: a field of it leaves 64 bits in its loops"),
    ],
)
def test_sentences(arrays, sentence):
    with pytest.raises(ProgramError) as caught:
        rolled_from_arrays(arrays, 3, "raw.npz", MOST)
    assert str(caught.value).startswith(f"raw.npz: {sentence}")
    assert str(caught.value).endswith(": the file is damaged, import the program again")
