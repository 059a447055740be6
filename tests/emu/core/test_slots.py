"""Scratch of a loop over channels that lie together in memory: its slots lie as the channels do."""

import numpy as np
import pytest
from core_nests import Nest

from emu.core.batch import units
from emu.isa.address import Address as A
from emu.isa.address import Term
from emu.isa.dtypes import DType as T

RNG = np.random.default_rng(11)
C, PIXELS = 12, 70
SUMS, SCALES, OUT, SCRATCH = 0, 20_000, 24_000, 40_000


def requantised(sums, scales):
    return np.clip(np.rint(sums.astype(np.float32) * scales), -128, 127).astype(np.int8)


def each(base, step, stride=1, part=0):
    return A(base, (Term(0, step), *([Term(1, part)] if part else [])), stride=stride)


def channels(b, parts=1):
    """Per channel (and part of the pixels): sums to floats, times a scale, to int8; the floats are scratch."""
    n = PIXELS // parts
    with b.loop(C), b.loop(parts):
        b.emit("vcvt", (T.i32, T.f32), (A(SCRATCH), each(SUMS, 4, C, 4 * C * n)), n=n)
        b.emit("vvmul", (T.f32,), (A(SCRATCH), A(SCRATCH), each(SCALES, 4, 0)), n=n)
        b.emit("vcvt", (T.f32, T.i8), (each(OUT, 1, C, C * n), A(SCRATCH)), n=n)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_slots_of_channels_lie_as_the_channels_do(parts, monkeypatch):
    monkeypatch.setattr(units, "TEMPLATES", {})
    sums = RNG.integers(-5000, 5000, (PIXELS, C)).astype(np.int32)
    scales = RNG.random(C).astype(np.float32) / 10
    nest = Nest(lambda b: channels(b, parts), {SUMS: sums, SCALES: scales})
    np.testing.assert_array_equal(nest.array(OUT, (PIXELS, C), np.int8), requantised(sums, scales))
    last = sums[-(PIXELS // parts) :, -1].astype(np.float32) * scales[-1]
    np.testing.assert_array_equal(nest.array(SCRATCH, (PIXELS // parts,)), last)
    (template,) = next(iter(units.TEMPLATES.values()))
    (made,) = template.blueprints.values()
    scratch = [view for step in made.steps for view in step.views if view.access < 0]
    assert len(scratch) == 4 and all(view.strides[0] == 4 for view in scratch)
    assert made.chunk == C


def test_slots_stay_one_after_the_other_where_what_is_beside_them_does(monkeypatch):
    monkeypatch.setattr(units, "TEMPLATES", {})
    x = RNG.standard_normal((C, PIXELS)).astype(np.float32)

    def write(b):
        with b.loop(C):
            b.emit("vrelu", (T.f32,), (A(SCRATCH), each(SUMS, 4 * PIXELS)), n=PIXELS)
            b.emit("vcvt", (T.f32, T.i8), (each(OUT, PIXELS), A(SCRATCH)), n=PIXELS)

    nest = Nest(write, {SUMS: x})
    np.testing.assert_array_equal(nest.array(OUT, (C, PIXELS), np.int8), np.rint(np.maximum(x, 0)).astype(np.int8))
    (template,) = next(iter(units.TEMPLATES.values()))
    (made,) = template.blueprints.values()
    assert all(view.strides[-1] == 4 for step in made.steps for view in step.views if view.access < 0)
