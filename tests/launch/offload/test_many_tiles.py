"""Products of so many tiles that they are turns of loops, around the numbers where loops begin: the same comes out."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.cinm_tile import AT_ONCE
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import parse_passes
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar

ARCH = Arch(name="tiny", cores=1, core=Core(crossbars=2), crossbar=Crossbar(3, 2, cell_bits=64))
CONTEXT = OffloadContext(ARCH, 1)
# Tiles below each other; the first one is what the others are added to.
BELOW = st.one_of(st.integers(1, 4), *[st.integers(around * AT_ONCE - 1, around * AT_ONCE + 3) for around in (1, 2, 3)])


def check(depth, cols, kind):
    first, second, made = f"tensor<2x{depth}x{kind}>", f"tensor<{depth}x{cols}x{kind}>", f"tensor<2x{cols}x{kind}>"
    text = (
        f"func.func @main(%a: {first}, %b: {second}) -> {made} {{\n"
        f"%y = cinm.gemm(%a, %b) : ({first}, {second}) -> {made}\nreturn %y : {made}\n}}"
    )
    program = HostProgram.read(Path("tiles.mlir"), text.encode(), CONTEXT)
    rng = np.random.default_rng((depth, cols))
    dtype = np.float32 if kind == "f32" else np.int32
    arrays = [rng.integers(-9, 9, shape).astype(dtype) for shape in ((2, depth), (depth, cols))]
    lowered = program.lowered(parse_passes("cinm-tile{crossbars=1},cinm-to-cim"), CONTEXT, "cim")
    np.testing.assert_array_equal(lowered.run(arrays, NumpyCrossbars())[0], arrays[0] @ arrays[1])


@settings(max_examples=examples(5, 200))
@given(below=BELOW, beside=st.integers(1, 3), rest=st.integers(-2, 0), cut=st.integers(-1, 0))
def test_tiles_below_each_other(below, beside, rest, cut):
    check(3 * below + rest, 2 * beside + cut, "i32")


@pytest.mark.parametrize(("depth", "cols"), [(1, 2 * AT_ONCE), (2, 2 * AT_ONCE + 1), (4, 2 * AT_ONCE + 3)])
def test_tiles_beside_each_other(depth, cols):
    check(depth, cols, "f32")


def test_turns_are_as_many_as_there_are_tiles():
    check(3 * (2 * AT_ONCE + 5) + 1, 3, "f32")  # loops, what they leave, and a tile that is smaller
