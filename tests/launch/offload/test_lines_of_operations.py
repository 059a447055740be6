"""What is wrong with a host program is told with file, line and operation of the text, after any passes."""

from pathlib import Path

import numpy as np
import pytest

from compiler.dialects.origins import ORIGIN, origin_of
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import LEVELS, RECIPES, parse_passes
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from emu.arch.read import load_arch
from emu.errors import InputError
from emu.isa.dtypes import DType
from launch.devices.device import device
from launch.offload.crossbars import DeviceCrossbars

PATH = Path("net.mlir")
NET = """func.func @main(%x: tensor<5x6x3xi8>, %w: tensor<3x4x6xi8>, %c: tensor<5x4xi32>) -> tensor<5x4xi32> {
  %y = linalg.generic {
    indexing_maps = [
      affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (l, n, k)>, affine_map<(m, n, k, l) -> (m, n)>
    ], iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  } ins(%x, %w : tensor<5x6x3xi8>, tensor<3x4x6xi8>) outs(%c : tensor<5x4xi32>) {
  ^bb0(%a: i8, %b: i8, %s: i32):
    %p = arith.extsi %a : i8 to i32
    %q = arith.extsi %b : i8 to i32
    %r = arith.muli %p, %q : i32
    %t = arith.addi %s, %r : i32
    linalg.yield %t : i32
  } -> tensor<5x4xi32>
  %z = arith.addi %y, %y : tensor<5x4xi32>
  return %z : tensor<5x4xi32>
}
"""
LINES = {"linalg.generic": 2, "arith.addi": 14, "func.return": 15}


def read(text, cores=2, arch="default"):
    context = OffloadContext(load_arch(arch), cores)
    return HostProgram.read(PATH, text.encode(), context), context


def refused(text, passes):
    program, context = read(text)
    with pytest.raises(InputError) as caught:
        program.lowered(parse_passes(passes), context, "cim")
    return str(caught.value)


@pytest.mark.parametrize("recipe", RECIPES)
def test_all_that_passes_make_has_the_line_of_what_it_stands_for(recipe):
    program, context = read(NET)
    for level in LEVELS:
        lowered = program.lowered(RECIPES[recipe], context, level)
        for op in lowered.module.body.block.first_op.body.block.ops:
            line, _, name = origin_of(op).partition(": ")
            assert line == f"line {LINES[name]}", (level, str(op))
        assert ORIGIN not in lowered.text()


BEFORE = "linalg-generalize,detect-contractions,"


@pytest.mark.parametrize(
    ("passes", "said"),
    [
        (
            f"{BEFORE}tile",
            "net.mlir: line 2: linalg.generic is no product [m, k] x [k, n] yet: run the pass ttgt before",
        ),
        (f"{BEFORE}linalg-to-cinm", "net.mlir: line 2: linalg.generic is no product [m, k] x [k, n] yet: run the pass"),
        (f"{BEFORE}ttgt,linalg-to-cim", "net.mlir: line 2: linalg.generic is not tiled yet: run the pass tile before"),
        (
            f"{BEFORE}ttgt,tile{{sizes=2,2,2}},unroll{{tiles=2}},interchange{{order=knm}}",
            "net.mlir: line 2: linalg.generic has loops over tiles with operations between: run interchange before",
        ),
    ],
)
def test_a_pass_out_of_order_names_the_line(passes, said):
    assert refused(NET, passes).startswith(said)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("tile{sizes=0,1,2}", "net.mlir: tile: sizes are three numbers from 1 on, m,n,k, not 0,1,2"),
        ("tile{order=mm}", "net.mlir: the order of loops is one of the letters m, n and k, each once"),
        ("unroll{tiles=0}", "net.mlir: unroll: there are no 0 tiles: give a number from 1 on"),
        ("unbatch{written-out=-1}", "net.mlir: unbatch: -1 points cannot be written out: give a number from 0 on"),
        ("cinm-tile{crossbars=0}", "net.mlir: cinm-tile: nothing is done with 0 crossbars: give a number from 1 on"),
        ("cinm-to-cim{crossbars=-1}", "net.mlir: cinm-to-cim: nothing is done with -1 crossbars: give a number"),
        ("cinm-to-cim{schedule=soon}", "net.mlir: there is no schedule 'soon': use asap, alap, or the import path of"),
        ("tile{sizes=a}", "passes: 'tile{sizes=a}' cannot be made a pass: "),
        ("cinm-to-cim{crossbars=x}", "passes: 'cinm-to-cim{crossbars=x}' cannot be made a pass: "),
        ("detect-contractions{dots=3}", "passes: 'detect-contractions{dots=3}' cannot be made a pass: "),
    ],
)
def test_an_option_out_of_range_is_told(entry, said):
    assert refused(NET, entry).startswith(said)


def test_a_matrix_that_no_core_holds_is_told_with_what_to_do():
    large = "tensor<4x9xi32>, tensor<9x9xi32>"
    text = f"""func.func @main(%a: tensor<4x9xi32>, %b: tensor<9x9xi32>) -> tensor<4x9xi32> {{
  %y = cinm.gemm(%a, %b) : ({large}) -> tensor<4x9xi32>
  return %y : tensor<4x9xi32>
}}
"""
    arch = Arch(name="one", cores=1, core=Core(crossbars=8), crossbar=Crossbar(4, 4))
    context = OffloadContext(arch, 1)
    program = HostProgram.read(PATH, text.encode(), context)
    said = r"^net.mlir: line 2: cinm.gemm takes 9 crossbars of a core, and may take 8: run the pass cinm-tile before"
    with pytest.raises(InputError, match=said):
        program.lowered(("cinm-to-cim",), context, "cim")
    assert "cinm" not in program.lowered(("cinm-tile", "cinm-to-cim"), context, "cim").text()
    with pytest.raises(InputError, match="and may take 2: run the pass cinm-tile before, with as many crossbars"):
        program.lowered(("cinm-tile", "cinm-to-cim{crossbars=2}"), context, "cim")


def test_text_that_was_edited_names_the_line():
    text = NET.replace("outs(%c : tensor<5x4xi32>)", 'outs(%c : tensor<5x4xi32>) attrs = {offload.roles = "mnq"}')
    said = refused(text, "ttgt")
    assert said.startswith("net.mlir: line 2: linalg.generic does not fit")


RUNNING = """func.func @main(%x: tensor<4xi32>, %i: index) -> tensor<?xi32> {
  %one = arith.constant 1 : index
  %n = arith.addi %i, %one : index
  %y = tensor.extract_slice %x[0] [%n] [1] : tensor<4xi32> to tensor<?xi32>
  return %y : tensor<?xi32>
}
"""


def test_what_is_wrong_only_with_some_inputs_names_the_line():
    program, context = read(RUNNING)
    lowered = program.lowered((), context, "cim")
    arrays = [np.zeros(4, np.int32), np.array(7)]
    for run in (program.run, lambda given: lowered.run(given, None)):
        assert len(run([arrays[0], np.array(2)])[0]) == 3
        with pytest.raises(InputError, match=r"^net.mlir: line 4: tensor.extract_slice cannot be executed: takes 8"):
            run(arrays)


def test_what_a_device_refuses_names_the_line():
    arch = Arch(name="one", cores=1, core=Core(crossbars=8), crossbar=Crossbar(128, 128))
    context = OffloadContext(arch, 1)
    program = HostProgram.read(PATH, NET.encode(), context)
    lowered = program.lowered(RECIPES["occ"], context, "cim")
    arrays = [np.ones(each.shape, each.dtype) for each in program.inputs]
    with device(arch, 1, backend="numpy") as chip:
        chip.acquire(8 * 128, arch.columns(DType.i8), "i8")
        with pytest.raises(InputError, match=r"^net.mlir: line 2: linalg.generic: no core has"):
            lowered.run(arrays, DeviceCrossbars(chip))
