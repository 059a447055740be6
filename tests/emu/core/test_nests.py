"""The nests that layers become run as array operations, all loops of them, and give what NumPy gives."""

import numpy as np
import pytest
from core_nests import BIAS, COL, IN, OUT, SCRATCH, C, F, H, N, Nest, W, at, crossbars, floats

from emu.isa.address import Address as A
from emu.isa.address import Term


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("groups", [1, 2])
def test_convolution(stride, groups):
    k = 3
    image = floats(stride * H + k, stride * W + k, C)
    row = image.shape[1] * C * 4
    found = [crossbars(k * k * C, N) for _ in range(groups)]
    bias = floats(N)

    def write(b):
        with b.loop(H), b.loop(W):
            for part in range(k):
                source = at(IN + part * row, stride * row, stride * C * 4)
                b.emit("lmv", (), (A(COL + part * k * C * 4), source), size=k * C * 4)
            for group in range(groups):
                out = at(OUT + 8000 * group, W * N * 4, N * 4)
                b.emit("mvmul", F * 2, (out, A(COL)), group=group)
                b.emit("vvadd", F, (out, out, A(BIAS)), n=N)
                b.emit("vrelu", F, (out, out), n=N)

    nest = Nest(write, {IN: image, BIAS: bias}, *zip(*found, strict=True))
    assert nest.whole and nest.statistics.plans == 1 and nest.statistics.expanded == 1
    windows = np.lib.stride_tricks.sliding_window_view(image, (k, k), (0, 1))[::stride, ::stride][:H, :W]
    columns = windows.transpose(0, 1, 3, 4, 2).reshape(H, W, -1)
    for group, (_, weights) in enumerate(found):
        expected = np.maximum(columns @ weights[:, :N] + bias, 0)
        np.testing.assert_allclose(nest.array(OUT + 8000 * group, (H, W, N)), expected, rtol=1e-4, atol=1e-4)


def test_convolution_that_accumulates_kernel_rows():
    k, image = 3, floats(H + 2, W + 2, C)
    row, (spec, weights) = (W + 2) * C * 4, crossbars(3 * C, N)

    def write(b):
        with b.loop(H), b.loop(W):
            out = at(OUT, W * N * 4, N * 4)
            b.emit("lldi", (), (out,), byte=0, size=N * 4)
            for part in range(k):
                b.emit("mvmul", F * 2, (out, at(IN + part * row, row, C * 4)), ("acc",), group=0)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.expanded == 0
    windows = np.lib.stride_tricks.sliding_window_view(image, 3, 1).transpose(0, 1, 3, 2).reshape(H + 2, W, -1)
    expected = sum(windows[part : part + H] @ weights[:, :N] for part in range(3))
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), expected, rtol=1e-4, atol=1e-4)


def test_pointwise_convolution():
    image, (spec, weights) = floats(H * W, C), crossbars(C, N)

    def write(b):
        with b.loop(H), b.loop(W):
            b.emit("mvmul", F * 2, (at(OUT, W * N * 4, N * 4), at(IN, W * C * 4, C * 4)), ("relu",), group=0)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.kernels == 2
    np.testing.assert_allclose(nest.array(OUT, (H * W, N)), np.maximum(image @ weights[:, :N], 0), rtol=1e-4, atol=1e-5)


def test_padding_and_interleaving_copies():
    a, b_ = floats(H, W, C), floats(H, W, N)

    def write(b):
        with b.loop(H):
            b.emit("lmv", (), (at(OUT + ((W + 2) + 1) * C * 4, (W + 2) * C * 4), at(IN, W * C * 4)), size=W * C * 4)
        with b.loop(H), b.loop(W):
            wide = (C + N) * 4
            b.emit("lmv", (), (at(SCRATCH, W * wide, wide), at(IN, W * C * 4, C * 4)), size=C * 4)
            b.emit("lmv", (), (at(SCRATCH + C * 4, W * wide, wide), at(COL, W * N * 4, N * 4)), size=N * 4)

    nest = Nest(write, {IN: a, COL: b_, OUT: np.zeros((H + 2, W + 2, C), np.float32)})
    assert nest.whole
    np.testing.assert_array_equal(nest.array(OUT, (H + 2, W + 2, C)), np.pad(a, ((1, 1), (1, 1), (0, 0))))
    np.testing.assert_array_equal(nest.array(SCRATCH, (H, W, C + N)), np.concatenate([a, b_], -1))


def test_max_pooling():
    image = floats(2 * H + 1, 2 * W + 1, C)
    row = (2 * W + 1) * C * 4

    def write(b):
        for y in range(3):
            for x in range(3):
                with b.loop(H), b.loop(W):
                    acc, source = at(OUT, W * C * 4, C * 4), at(IN + y * row + x * C * 4, 2 * row, 2 * C * 4)
                    if (y, x) == (0, 0):
                        b.emit("lmv", (), (acc, source), size=C * 4)
                    else:
                        b.emit("vvmax", F, (acc, acc, source), n=C)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.units == 18
    expected = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (0, 1))[::2, ::2].max((-2, -1))
    np.testing.assert_array_equal(nest.array(OUT, (H, W, C)), expected)


def test_pooling_window_as_inner_loops_is_iterated_inside_of_the_plan():
    image = floats(2 * H, 2 * W, C)
    row = 2 * W * C * 4

    def write(b):
        with b.loop(H), b.loop(W):
            acc = at(OUT, W * C * 4, C * 4)
            b.emit("lldi", (), (acc,), byte=0xFF, size=0)
            b.emit("lmv", (), (acc, at(IN, 2 * row, 2 * C * 4)), size=C * 4)
            with b.loop(2), b.loop(2):
                window = A(IN, (Term(0, 2 * row), Term(1, 2 * C * 4), Term(2, row), Term(3, C * 4)))
                b.emit("vvmax", F, (acc, acc, window), n=C)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.sequential == 2
    np.testing.assert_array_equal(nest.array(OUT, (H, W, C)), image.reshape(H, 2, W, 2, C).max((1, 3)))


def test_global_average_pooling():
    image = floats(H * W, C)

    def write(b):
        with b.loop(C):
            b.emit("vavg", F, (at(OUT, 4), at(IN, 4, stride=C)), n=H * W)

    nest = Nest(write, {IN: image})
    assert nest.whole and nest.statistics.kernels == 2
    np.testing.assert_allclose(nest.array(OUT, (C,)), image.mean(0), rtol=1e-4, atol=1e-5)


def test_softmax_per_pixel_with_scratch():
    logits = floats(H, W, N)

    def write(b):
        with b.loop(H), b.loop(W):
            x, y = at(IN, W * N * 4, N * 4), at(OUT, W * N * 4, N * 4)
            t, one = A(SCRATCH), A(SCRATCH, stride=0)
            b.emit("vrmax", F, (t, x), n=N)
            b.emit("vvsub", F, (y, x, one), n=N)
            b.emit("vexp", F, (y, y), n=N)
            b.emit("vsum", F, (t, y), n=N)
            b.emit("vvdiv", F, (y, y, one), n=N)

    nest = Nest(write, {IN: logits})
    assert nest.whole and nest.statistics.expanded == 1
    e = np.exp(logits - logits.max(-1, keepdims=True))
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), e / e.sum(-1, keepdims=True), rtol=1e-5)


def test_rows_in_a_scratch_buffer_between_loops_of_different_depth():
    image, (spec, weights) = floats(H, W, C), crossbars(3 * C, N)
    row = (W + 2) * C * 4

    def write(b):
        with b.loop(H):
            b.emit("lldi", (), (A(COL),), byte=0, size=row)
            b.emit("lmv", (), (A(COL + C * 4), at(IN, W * C * 4)), size=W * C * 4)
            with b.loop(W):
                b.emit("mvmul", F * 2, (at(OUT, W * N * 4, N * 4), at(COL, 0, C * 4)), group=0)
            b.emit("vrelu", F, (at(OUT, W * N * 4), at(OUT, W * N * 4)), n=W * N)

    nest = Nest(write, {IN: image}, [spec], [weights])
    assert nest.whole and nest.statistics.expanded == 1
    padded = np.pad(image, ((0, 0), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 3, 1).transpose(0, 1, 3, 2).reshape(H, W, -1)
    expected = np.maximum(windows @ weights[:, :N], 0)
    np.testing.assert_allclose(nest.array(OUT, (H, W, N)), expected, rtol=1e-4, atol=1e-4)
