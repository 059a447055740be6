"""Kernels give the same result whatever the strides and alignment of their operands, in place too."""

import numpy as np
import pytest

from emu.core.kernels.spec import KernelSpec, storage
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
                if kinds[0] == kinds[-1]:
                    kernel(sources[-1], *sources)
                    assert sources[-1].tobytes() == plain.tobytes(), (dtype, step, gap, start, "in place")
