"""Texts of all levels that were edited by chance: right, or refused by one sentence with file and line."""

import re
from functools import cache
from pathlib import Path
from random import Random

from damage import damaged
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.context import OffloadContext
from compiler.offload.kernels import KERNELS
from compiler.offload.pipeline import LEVELS, RECIPES
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from emu.errors import InputError
from launch.devices.device import device
from launch.offload.comparing import compare
from launch.offload.crossbars import DeviceCrossbars
from launch.offload.inputs import inputs_of

ARCH = Arch(name="small", cores=2, core=Core(crossbars=40), crossbar=Crossbar(4, 4))
CONTEXT = OffloadContext(ARCH, 2)
PATH = Path("m.mlir")
SIZES = {"mm": 6, "lstm": 3, "wavenet": 5, "conv2d": 5}


@cache
def level_texts():
    """The texts of every level of some kernels, each once."""
    found = dict.fromkeys(KERNELS[name].text(size) for name, size in SIZES.items())
    for text in list(found):
        program = HostProgram.read(PATH, text.encode(), CONTEXT)
        for recipe in RECIPES.values():
            found |= dict.fromkeys(program.lowered(recipe, CONTEXT, level).text() for level in LEVELS)
    return list(found)


def run(text):
    """Whether the outputs with a device are those without one; raises InputError."""
    program = HostProgram.read(PATH, text.encode(), CONTEXT)
    lowered = program.lowered((), CONTEXT, "calls")
    arrays = inputs_of(program.inputs, (), 0)
    golden = lowered.run(arrays, NumpyCrossbars())
    with device(ARCH, 2, backend="numpy", record=False) as chip:
        made = lowered.run(arrays, DeviceCrossbars(chip))
    return all(compare("", *pair).right for pair in zip(made, golden, strict=True))


@settings(max_examples=examples(60, 1000))
@given(place=st.integers(0, 1 << 20), seed=st.integers(0, 1 << 40))
def test_right_or_one_sentence(place, seed):
    texts = level_texts()
    text = damaged(texts[place % len(texts)], Random(seed)).replace(str(1 << 40), "99")  # no loops of so many turns
    try:
        assert run(text)
    except InputError as error:
        assert re.fullmatch(r"(m\.mlir: .*line \d+.*|the input '.*)", str(error)), str(error)
