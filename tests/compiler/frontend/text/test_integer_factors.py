"""Products of integers in texts: what crossbars take goes there, with zero points as far as they fit; all is exact."""

import numpy as np
import pytest
from in_process import compile_in_memory, run_in_process

from compiler.dialects import integer
from compiler.frontend.text.importer import import_text
from compiler.session.context import make_context
from emu.arch import Arch, Core, Crossbar

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(32, 32))
SAME = "affine_map<(m, n, k) -> ({})>"
TEXT = """func.func @main(%x: tensor<3x4x{kind}>) -> tensor<3x2xi32> {{
  %w = arith.constant dense<{weights}> : tensor<4x2xi8>
  %zero = arith.constant {zero} : i32
  %none = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x2xi32>
  %f = linalg.fill ins(%none : i32) outs(%e : tensor<3x2xi32>) -> tensor<3x2xi32>
  %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %w : tensor<3x4x{kind}>, tensor<4x2xi8>) outs(%f : tensor<3x2xi32>) {{
  ^bb0(%a: {kind}, %b: i8, %sum: i32):
    {wide}
    %moved = arith.subi %whole, %zero : i32
    %weight = arith.extsi %b : i8 to i32
    %product = arith.muli %moved, %weight : i32
    %next = arith.addi %sum, %product : i32
    linalg.yield %next : i32
  }} -> tensor<3x2xi32>
  return %y : tensor<3x2xi32>
}}
"""
WEIGHTS = np.array([[3, -4], [127, -128], [0, 7], [-9, 1]], np.int8)
MAPS = ", ".join(SAME.format(names) for names in ("m, k", "k, n", "m, n"))


@pytest.mark.parametrize(
    ("kind", "zero", "fits"),
    [
        ("i8", 0, True),
        ("i8", 5, True),
        ("i16", 0, True),  # without a zero point any element is one of a crossbar's vectors
        ("i16", -1, False),  # 32767 + 1 is none of 16 bits
        ("i8", 32767 - 128, True),
        ("i8", 32767 - 127, False),
    ],
)
def test_factors(tmp_path, kind, zero, fits):
    path = tmp_path / "x.mlir"
    wide = f"%whole = arith.extsi %a : {kind} to i32"
    path.write_text(TEXT.format(kind=kind, zero=zero, weights=WEIGHTS.tolist(), maps=MAPS, wide=wide))
    module = import_text(path, make_context(), {}).module
    assert any(isinstance(op, integer.MatMulOp | integer.ConvOp) for op in module.walk()) == fits
    limits = np.iinfo(kind.replace("i", "int"))
    x = np.random.default_rng(0).integers(limits.min, limits.max + 1, (3, 4)).astype(limits.dtype)
    x[0, :2] = limits.min, limits.max
    compiled = compile_in_memory(path, SMALL)
    (found,) = run_in_process(compiled, [{"x": x}])
    wanted = (x.astype(np.int64) - zero) @ WEIGHTS.astype(np.int64)
    (made,) = found.values()
    np.testing.assert_array_equal(made, wanted.astype(np.int32))
