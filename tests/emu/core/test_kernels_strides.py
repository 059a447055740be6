"""Kernels give the same result whatever the strides and alignment of their operands, in place too."""

import numpy as np
import pytest

from emu.core.crossbars.blocks import BLOCK
from emu.core.kernels.spec import KernelSpec, bound, storage
from emu.core.kernels.table import KERNELS
from emu.isa.dtypes import DType
from emu.isa.instruction import Family
from emu.isa.table import BY_NAME

ELEMENTWISE = [
    spec.name
    for spec in BY_NAME.values()
    if spec.family in (Family.BINARY, Family.COMPARE, Family.SELECT, Family.IMMEDIATE, Family.UNARY)
]
SHAPE = (3, 5)


def strided(rng, dtype, step, gap, start):
    """An array of small values whose elements are `step` elements apart, rows with a gap, at byte `start`."""
    memory = np.zeros(4096, np.uint8)
    row = SHAPE[1] * step + gap
    view = np.ndarray(SHAPE, dtype, memory, start, (row * dtype.itemsize, step * dtype.itemsize))
    view[...] = rng.integers(1, 9, SHAPE)
    return view


@pytest.mark.parametrize("name", ELEMENTWISE)
@np.errstate(all="ignore")  # as cores do
def test_strides_do_not_matter(name):
    spec, rng = BY_NAME[name], np.random.default_rng(0)
    for dtype in sorted(spec.accepts[0]):
        kernel = KERNELS[spec.kernel](KernelSpec(name, (dtype,), frozenset(), 2, SHAPE[1], 0, 0))
        kinds = [storage(DType.bool) if form.type == -1 else storage(dtype) for form in spec.operands]
        for step in (1, 2, 3, 4, 8):
            for gap, start in ((0, 0), (0, 1), (3, 16)):
                dst, *sources = (strided(rng, kind, step, gap, start) for kind in kinds)
                plain = np.empty(SHAPE, kinds[0])
                kernel(plain, *[source.copy() for source in sources])
                kernel(dst, *sources)
                assert dst.tobytes() == plain.tobytes(), (dtype, step, gap, start)
                dst[...] = 0
                bound(kernel, (dst, *sources))()
                assert dst.tobytes() == plain.tobytes(), (dtype, step, gap, start, "bound")
                if kinds[0] == kinds[-1]:
                    kernel(sources[-1], *sources)
                    assert sources[-1].tobytes() == plain.tobytes(), (dtype, step, gap, start, "in place")


@pytest.mark.parametrize("name", ["vtanh", "vsigm", "verf", "vrelu", "vsmin", "vsign"])
@pytest.mark.parametrize("shape", [(1, 7), (3, BLOCK // 2 + 5), (1, 2 * BLOCK)])
@np.errstate(all="ignore")
def test_bound_calls_of_any_size_see_new_numbers(name, shape):
    kernel = KERNELS[BY_NAME[name].kernel](KernelSpec(name, (DType.f32,), frozenset(), 2, shape[-1], 0, 0))
    rng, wanted = np.random.default_rng(1), np.empty(shape, np.float32)
    for turned in (False, True):
        memory = [np.zeros(2 * wanted.size + 1, np.float32) for _ in range(2)]
        views = [part[1 : 1 + wanted.size].reshape(shape[::-1]).T if turned else part[::2][1:] for part in memory]
        dst, source = (view.reshape(shape) if not turned else view for view in views)
        for operands in ((dst, source), (source, source)):
            call = bound(kernel, operands)
            for _ in range(2):
                source[...] = rng.standard_normal(shape)
                kernel(wanted, source.copy())
                call()
                assert operands[0].tobytes() == wanted.tobytes()
