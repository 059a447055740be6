"""Any structured operation on tensors is cut into tiles, in any order of loops: the same comes out."""

import random
from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from random_texts import random_text
from xdsl.dialects import func
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation

from compiler.dialects.linalg.generic import IndexOp
from compiler.dialects.linalg.structure import Structure
from compiler.offload.context import OffloadContext
from compiler.offload.program import HostProgram
from compiler.offload.structured_tiles import tiled
from emu.arch import Arch, Core, Crossbar
from launch.offload.comparing import compare

SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))


def counts(op):
    """Whether a body asks for its counters, which no tile has."""
    return any(isinstance(inner, IndexOp) for inner in op.walk())


def tile_all(module, rng):
    """Tile every operation that does not count its turns, some of them twice; the number of tiled ones."""
    count = 0
    for op in [op for op in module.walk() if isinstance(op, LinalgStructuredOperation) and not counts(op)]:
        for _ in range(rng.choice([1, 1, 2])):
            loops = list(range(len(Structure.of(op).parallel)))
            rng.shuffle(loops)
            order = loops[: rng.randint(0, len(loops))]
            if order:
                op = tiled(op, {loop: rng.randint(1, 4) for loop in order}, order).op
                count += 1
    return count


@settings(max_examples=examples(20, 300))
@given(seed=st.integers(0, 1 << 40))
def test_tiles_make_what_the_whole_makes(seed):
    text, inputs = random_text(seed)
    context = OffloadContext(SMALL, 1)
    program = HostProgram.read(Path("program.mlir"), text.encode(), context)
    arrays = [inputs[each.name] for each in program.inputs]
    module = program.text.module.clone()
    tile_all(module, random.Random(seed))
    module.verify()
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    for made, golden in zip(program.execute(function, module, arrays), program.run(arrays), strict=True):
        found = compare("output", made, golden)
        assert found.right, found.line()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("%i = linalg.index 0 : index\n%s = arith.index_cast %i : index to i32", "uses its counters"),
        ("%s = arith.addi %e, %e : i32", None),
    ],
)
def test_what_counts_its_turns_is_not_cut(body, said):
    text = f"""func.func @main(%a: tensor<5xi32>) -> tensor<5xi32> {{
      %y = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
        iterator_types = ["parallel"]}} ins(%a : tensor<5xi32>) outs(%a : tensor<5xi32>) {{
      ^bb0(%e: i32, %o: i32):
        {body}
        linalg.yield %s : i32
      }} -> tensor<5xi32>
      return %y : tensor<5xi32>
    }}"""
    program = HostProgram.read(Path("program.mlir"), text.encode(), OffloadContext(SMALL, 1))
    op = next(op for op in program.text.module.walk() if isinstance(op, LinalgStructuredOperation))
    if said is None:
        assert len(tiled(op, {0: 2}, [0]).loops) == 1
    else:
        with pytest.raises(ValueError, match=said):
            tiled(op, {0: 2}, [0])


@pytest.mark.parametrize("order", [[0], [1], [1, 0]])
def test_windows_that_begin_behind_the_first_element(order):
    text = """func.func @main(%a: tensor<15xi32>, %k: tensor<4xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
      %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 * 2 + d1 + 3)>, affine_map<(d0, d1) -> (d1)>,
        affine_map<(d0, d1) -> (d0)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a, %k : tensor<15xi32>, tensor<4xi32>) outs(%c : tensor<5xi32>) {
      ^bb0(%e: i32, %f: i32, %o: i32):
        %p = arith.muli %e, %f : i32
        %s = arith.addi %p, %o : i32
        linalg.yield %s : i32
      } -> tensor<5xi32>
      return %y : tensor<5xi32>
    }"""
    program = HostProgram.read(Path("program.mlir"), text.encode(), OffloadContext(SMALL, 1))
    module = program.text.module.clone()
    op = next(op for op in module.walk() if isinstance(op, LinalgStructuredOperation))
    tiled(op, {0: 2, 1: 3}, order)
    module.verify()
    a, k, c = np.arange(15, dtype=np.int32) ** 2, np.arange(1, 5, dtype=np.int32), np.arange(5, dtype=np.int32)
    wanted = [[a[2 * i + 3 : 2 * i + 7] @ k + c[i] for i in range(5)]]
    function = next(op for op in module.ops if isinstance(op, func.FuncOp))
    np.testing.assert_array_equal(program.run([a, k, c]), wanted)
    np.testing.assert_array_equal(program.execute(function, module, [a, k, c]), wanted)
