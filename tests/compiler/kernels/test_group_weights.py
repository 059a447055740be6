"""The matrices in crossbars: what a window gives, multiplied with them, is the convolution."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from compiler.kernels.apply_blocks import block_weights
from compiler.kernels.apply_filters import group_weights

SIZES = st.integers(1, 4)


def numbers(*shape):
    """Small whole numbers, all different, so that sums are exact."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 31 - 15


@given(SIZES, SIZES, SIZES, SIZES, st.data())
def test_row_tiles_of_filters_add_up_to_the_product(filters, channels, height, width, data):
    weights, window = numbers(filters, channels, height, width), numbers(height, width, channels)
    low = data.draw(st.integers(0, channels - 1))
    size = data.draw(st.integers(1, channels - low))
    rows = height * width * size
    cut = data.draw(st.integers(0, rows))
    first = data.draw(st.integers(0, filters - 1))
    vector = window[:, :, low : low + size].reshape(-1)
    total = sum(
        vector[start:stop] @ group_weights(weights, (first, filters), low, size, start, stop)
        for start, stop in ((0, cut), (cut, rows))
        if start < stop
    )
    expected = np.einsum("fcyx,yxc->f", weights[first:, low : low + size], window[:, :, low : low + size])
    assert np.array_equal(total, expected)


@given(SIZES, SIZES, SIZES, SIZES, st.data())
def test_blocks_multiply_each_group_with_its_channels(groups, channels, per_group, taps, data):
    weights = numbers(groups * per_group, channels, taps, 2)
    first = data.draw(st.integers(0, groups - 1))
    last = data.draw(st.integers(first + 1, groups))
    window = numbers(taps, 2, last - first, channels)
    product = window.reshape(-1) @ block_weights(weights, groups, (first, last))
    own = weights[first * per_group : last * per_group].reshape(last - first, per_group, channels, taps, 2)
    assert np.array_equal(product, np.einsum("gfcyx,yxgc->gf", own, window).reshape(-1))
