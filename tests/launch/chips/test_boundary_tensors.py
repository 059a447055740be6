"""Outputs in global memory, however their tiles lie beside each other, against the bytes that were written there."""

from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensors import cuts

from emu.arch import Arch
from emu.image.layout import to_tiles
from emu.image.manifest import Manifest, TensorSpec, TensorTile
from emu.isa.dtypes import DType
from emu.noc.memory.global_memory import GlobalMemory
from emu.program.form import Form
from launch.chips.chip import BoundaryTensors
from launch.supervision.errors import IncompleteOutput

SIZE = 4096


@st.composite
def outputs(draw):
    """Tensors whose tiles touch, leave gaps, and follow each other in any order."""
    forms = [Form((1, c, w), (c, 1, w), ("", "C", "W")) for c, w in draw(st.lists(st.tuples(*[st.integers(1, 4)] * 2)))]
    boxes = [(number, box) for number, form in enumerate(forms) for box in draw(cuts(form.whole))]
    tiles, address = [[] for _ in forms], draw(st.integers(0, 9))
    for number, box in draw(st.permutations(boxes)):
        tiles[number].append(TensorTile(box, address))
        address += prod(high - low for low, high in box) * 4 + draw(st.integers(0, 2))
    return [TensorSpec(f"y{number}", form, DType.f32, tuple(tiles[number])) for number, form in enumerate(forms)]


def boundary(specs):
    return BoundaryTensors(Manifest(Arch(), (), (), tuple(specs), SIZE))


@given(outputs(), st.integers(0, 1000))
def test_outputs_are_what_was_stored(specs, seed):
    memory, random = GlobalMemory(SIZE), np.random.default_rng(seed)
    stored = {spec.name: random.random(spec.shape, np.float32) for spec in specs}
    for spec in specs:
        for address, content in to_tiles(spec, stored[spec.name]):
            memory.write(address, content.tobytes())
    tensors = boundary(specs)
    ends = [begin + size for begin, size in tensors.ranges]
    assert all(end < begin for end, (begin, _) in zip(ends, tensors.ranges[1:], strict=False))
    found = tensors.decode(memory.parts(tensors.ranges), memory.unwritten(tensors.ranges), 0)
    assert {name: array.tolist() for name, array in found.items()} == {k: v.tolist() for k, v in stored.items()}


def test_outputs_outlive_the_memory():
    (spec,) = specs = [TensorSpec("y", Form((4,), (4, 1, 1), ("C",)), DType.f32, (TensorTile(((0, 4),), 0),))]
    memory, tensors = GlobalMemory(SIZE), boundary(specs)
    memory.write(0, np.arange(4, dtype=np.float32).tobytes())
    found = tensors.decode(memory.parts(tensors.ranges), [], 0)[spec.name]
    memory.write(0, bytes(16))
    assert found.tolist() == [0, 1, 2, 3]


def test_the_first_missing_bytes_are_those_of_one_tile():
    """The gap goes over two tensors that touch, and the first of them, by name, lies behind."""
    form = Form((4,), (4, 1, 1), ("C",))
    specs = [TensorSpec(name, form, DType.f32, (TensorTile(((0, 4),), at),)) for name, at in (("a", 16), ("b", 0))]
    memory, tensors = GlobalMemory(SIZE), boundary(specs)
    memory.write(0, bytes(8))
    with pytest.raises(IncompleteOutput) as caught:
        tensors.decode(memory.parts(tensors.ranges), memory.unwritten(tensors.ranges), 3)
    for part in ("'a'", "24 bytes of the outputs of sample 3", "first 16 bytes at global address 0x10"):
        assert part in str(caught.value)
