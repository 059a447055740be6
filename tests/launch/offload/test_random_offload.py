"""Random programs of linalg: offloaded by any recipe, executed at any level, they make what the interpreter makes."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import texts

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import LEVELS, RECIPES, parse_passes
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from launch.devices.device import device
from launch.offload.comparing import compare
from launch.offload.crossbars import DeviceCrossbars

SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))
TINY = [  # cores, crossbars of each, and slices of 8 bits: all types stand in one crossbar, or i64 in eight
    (cores, crossbars, bits) for bits in (64, 8) for cores in (1, 2) for crossbars in (64 // bits, 64 // bits + 3, 40)
]
PATH = Path("program.mlir")
OVERLAPPING = "strategies:Overlapping"


def check(made, golden):
    for place, (one, other) in enumerate(zip(made, golden, strict=True)):
        found = compare(str(place), one, other)
        assert found.right, found.line()


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=examples(15, 300))
@given(made=texts(), cores=st.integers(1, 4))
def test_offloaded_is_interpreted(recipe, made, cores):
    text, inputs = made
    context = OffloadContext(SMALL, cores)
    program = HostProgram.read(PATH, text.encode(), context)
    arrays = [inputs[each.name] for each in program.inputs]
    lowered = program.lowered(RECIPES[recipe], context, "cim")
    with device(SMALL, cores, backend="sequential", record=False) as chip:
        check(lowered.run(arrays, DeviceCrossbars(chip)), program.run(arrays))


def tiny(crossbars, bits):
    return Arch(name="tiny", cores=2, core=Core(crossbars=crossbars), crossbar=Crossbar(4, 4, cell_bits=bits))


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=examples(15, 300))
@given(
    made=texts(), chip=st.sampled_from(TINY), schedule=st.sampled_from(["asap", "alap", OVERLAPPING]), data=st.data()
)
def test_on_chips_that_hold_next_to_nothing(recipe, made, chip, schedule, data):
    text, inputs = made
    arch = tiny(*chip[1:])
    context = OffloadContext(arch, chip[0])
    program = HostProgram.read(PATH, text.encode(), context)
    given = {"cinm-to-cim": f"cinm-to-cim{{schedule={schedule}}}"}
    if recipe == "cinnamon" and data.draw(st.booleans()):
        most = data.draw(st.integers(1, 6))
        given["cinm-tile"] = f"cinm-tile{{crossbars={most}}}"
        given["cinm-to-cim"] = f"cinm-to-cim{{schedule={schedule} crossbars={most}}}"
    passes = [given.get(entry, entry) for entry in RECIPES[recipe]]
    lowered = program.lowered(parse_passes(",".join(passes)), context, "cim")
    arrays = [inputs[each.name] for each in program.inputs]
    with device(arch, chip[0], backend="numpy", record=False) as chip:
        check(lowered.run(arrays, DeviceCrossbars(chip)), program.run(arrays))


@pytest.mark.parametrize("recipe", RECIPES)
@settings(max_examples=examples(3, 100))
@given(made=texts())
def test_text_of_every_level_is_executed_as_it_stands(recipe, made):
    text, inputs = made
    context = OffloadContext(SMALL, 2)
    program = HostProgram.read(PATH, text.encode(), context)
    arrays = [inputs[each.name] for each in program.inputs]
    golden, known = program.run(arrays), set[str]()
    for level in LEVELS:
        written = program.lowered(RECIPES[recipe], context, level).text()
        if written in known:  # levels of other recipes
            continue
        known.add(written)
        again = HostProgram.read(PATH, written.encode(), context)
        lowered = again.lowered((), context, level)
        assert lowered.text() == written
        check(lowered.run(arrays, NumpyCrossbars()), golden)


@settings(max_examples=examples(30, 100))
@given(sizes=st.tuples(*[st.integers(1, 13)] * 3), kind=st.sampled_from(["i8", "i32", "f32"]))
def test_writes_fall_by_the_row_tiles_with_interchange(sizes, kind):
    m, n, k = sizes
    wide = "i32" if kind != "f32" else "f32"
    text = (
        f"func.func @main(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>, %c: tensor<{m}x{n}x{wide}>)"
        f" -> tensor<{m}x{n}x{wide}> {{\n%r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{kind}>,"
        f" tensor<{k}x{n}x{kind}>) outs(%c : tensor<{m}x{n}x{wide}>) -> tensor<{m}x{n}x{wide}>\n"
        f"return %r : tensor<{m}x{n}x{wide}>\n}}"
    )
    context = OffloadContext(SMALL, 2)
    program = HostProgram.read(PATH, text.encode(), context)
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-9, 9, each.shape).astype(each.dtype) for each in program.inputs]
    writes = []
    for step in ("", "interchange{min-writes},"):
        entries = ("linalg-generalize", "detect-contractions", "tile{sizes=4,4,4}", *([step[:-1]] if step else []))
        lowered = program.lowered((*entries, "linalg-to-cim"), context, "cim")
        with device(SMALL, 2, backend="sequential", record=False) as chip:
            check(lowered.run(arrays, DeviceCrossbars(chip)), program.run(arrays))
            writes.append(chip.counters.writes)
    assert writes[0] == writes[1] * -(-m // 4)
