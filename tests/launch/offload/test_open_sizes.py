"""Sizes that a text leaves open come from inputs: what is made of it is valid text, closed, and makes the same."""

from pathlib import Path

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import scf

from compiler.interpreter.host.crossbars import NumpyCrossbars
from compiler.offload.context import OffloadContext
from compiler.offload.pipeline import RECIPES
from compiler.offload.program import HostProgram
from emu.arch import Arch, Core, Crossbar
from launch.offload.comparing import compare

SMALL = Arch(name="small", cores=4, core=Core(crossbars=4096), crossbar=Crossbar(4, 4))
OPEN = "tensor<?x?xi32>"
PRODUCT = """
func.func private @product(%a: tensor<?x?xi32>, %b: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi32>
  %n = tensor.dim %b, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %y = linalg.matmul ins(%a, %b : tensor<?x?xi32>, tensor<?x?xi32>) outs(%f : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
func.func private @never(%a: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %y = arith.addi %a, %a : tensor<?x?xi32>
  return %y : tensor<?x?xi32>
}
"""
# The body of a function of %a, m x k, and %b, k x n, that ends with the value %y; and whether it becomes closed.
BODIES = {
    "call": ("%y = func.call @product(%a, %b) : (T, T) -> T", True),
    "two sizes": (
        """%p = func.call @product(%a, %b) : (T, T) -> T
        %q = func.call @product(%p, %t) : (T, T) -> T
        %y = arith.addi %q, %q : T""",
        False,  # in the function there are two
    ),
    "loop": (
        """%p = func.call @product(%a, %b) : (T, T) -> T
        %y = scf.for %i = %c0 to %m step %c1 iter_args(%x = %p) -> (T) {
          %d = arith.addi %x, %p : T
          scf.yield %d : T
        }""",
        True,
    ),
    "growing": (
        """%y = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %a) -> (T) {
          %d = tensor.concat dim(0) %x, %a : (T, T) -> T
          scf.yield %d : T
        }""",
        False,
    ),
    "branches": (
        """%big = arith.cmpi sgt, %m, %k : index
        %y = scf.if %big -> (T) {
          %d = func.call @product(%a, %b) : (T, T) -> T
          scf.yield %d : T
        } else {
          %o = func.call @never(%a) : (T) -> T
          %d = func.call @product(%o, %b) : (T, T) -> T
          scf.yield %d : T
        }""",
        False,  # one of them is never taken
    ),
    "a branch that is never taken": (
        """%true = arith.constant true
        %y = scf.if %true -> (T) {
          scf.yield %a : T
        } else {
          %o = func.call @never(%a) : (T) -> T
          scf.yield %o : T
        }""",
        False,  # in it sizes stay open, behind it they are closed
    ),
    "slices": (
        """%s = tensor.extract_slice %a[%c0, %c0] [%m, %c1] [%c1, %c1] : T to T
        %v = tensor.extract_slice %a[0, 0] [%m, 1] [1, 1] : T to tensor<?xi32>
        %w = tensor.insert_slice %v into %s[%c0, 0] [%m, 1] [1, 1] : tensor<?xi32> into T
        %y = arith.addi %w, %s : T""",
        True,
    ),
    "windows": (
        """%e = tensor.empty(%m, %k) : T
        %y = scf.for %i = %c0 to %k step %c2 iter_args(%x = %e) -> (T) {
          %l = affine.min affine_map<(d0)[s0] -> (2, s0 - d0)>(%i)[%k]
          %s = tensor.extract_slice %a[0, %i] [%m, %l] [1, 1] : T to T
          %d = arith.addi %s, %s : T
          %w = tensor.insert_slice %d into %x[0, %i] [%m, %l] [1, 1] : T into T
          scf.yield %w : T
        }""",
        False,  # the last one is smaller
    ),
    "shapes": (
        """%s = tensor.collapse_shape %a [[0, 1]] : T into tensor<?xi32>
        %l = arith.muli %m, %k : index
        %u = tensor.splat %z[%l] : tensor<?xi32>
        %d = arith.addi %s, %u : tensor<?xi32>
        %y = tensor.expand_shape %d [[0, 1]] output_shape [%m, %k] : tensor<?xi32> into T""",
        True,
    ),
    "pads": (
        """%y = tensor.pad %a low[%c1, 0] high[0, %m] {
        ^bb0(%i: index, %j: index):
          tensor.yield %z : i32
        } : T to T""",
        True,
    ),
    "casts": (
        """%d = tensor.cast %a : T to tensor<?x?xi32>
        %y = func.call @product(%d, %b) : (T, T) -> T""",
        True,
    ),
}
HEAD = """func.func @main(%a: T, %b: T, %t: T) -> T {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%z = arith.constant 0 : i32
%m = tensor.dim %a, %c0 : T
%k = tensor.dim %a, %c1 : T
"""


def program_of(name, context):
    body, closed = BODIES[name]
    text = (PRODUCT + HEAD + body + "\nreturn %y : T\n}\n").replace("T", OPEN).replace(f"{OPEN}en", "Ten")
    return HostProgram.read(Path("open.mlir"), text.encode(), context), closed


def assert_ends_fit(module):
    """Branches and turns hand on what is said of them, which no verifier looks at."""
    for op in module.walk():
        if isinstance(op, scf.IfOp | scf.ForOp):
            for last in (block.last_op for region in op.regions for block in region.blocks):
                assert list(last.operand_types) == list(op.result_types), str(op)


@pytest.mark.parametrize("name", BODIES)
@settings(max_examples=examples(6, 60))
@given(sizes=st.tuples(*[st.integers(1, 9)] * 3))
def test_what_is_made_of_it_is_closed_and_makes_the_same(name, sizes):
    context = OffloadContext(SMALL, 2)
    program, closed = program_of(name, context)
    m, k, n = sizes
    rng = np.random.default_rng(sizes)
    arrays = [rng.integers(-9, 9, shape).astype(np.int32) for shape in ((m, k), (k, n), (n, n))]
    sized, golden = program.sized(arrays)
    main = str(next(op for op in sized.text.module.ops if op.sym_name.data == "main"))
    assert ("?" not in main) or not closed
    again = HostProgram.read(Path("again.mlir"), sized.lowered((), context, "linalg").text().encode(), context)
    assert_ends_fit(again.text.module)
    assert [each.shape for each in again.inputs] == [(m, k), (k, n), (n, n)]
    for made in (sized.run(arrays), again.run(arrays)):
        np.testing.assert_array_equal(made[0], golden[0])
    for recipe, passes in RECIPES.items():
        lowered = sized.lowered(passes, context, "cim")
        found = compare(recipe, lowered.run(arrays, NumpyCrossbars())[0], golden[0])
        assert found.right, found.line()


def test_a_product_in_a_function_that_is_called_with_one_size_is_a_call_site():
    context = OffloadContext(SMALL, 2)
    program, _ = program_of("call", context)
    arrays = [np.ones(shape, np.int32) for shape in ((5, 6), (6, 7), (7, 7))]
    sized, _ = program.sized(arrays)
    assert sized.lowered(RECIPES["occ"], context, "cim").sites == 1
