"""The table of work: what each compute is, what it needs and from whom."""

from pathlib import Path

from compiler.dialects import spat
from compiler.placement.work import consumers, work_table
from compiler.session.context import make_context
from compiler.text import parse_module

WINDOW = "kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>"
FORM = "forms = [{}], offsets = array<i64: 0, 0, 0>"
TEXT = f"""
%x = "spat.input"() <{{tensor = "x", offsets = array<i64: 0, 0, 0>, shape = array<i64: 1, 2, 3, 3>,
  extent = array<i64: 2, 3, 3>, layout = ["", "C", "H", "W"]}}> : () -> tensor<3x3x2xf32>
%c = "spat.compute"(%x) <{{node = "conv", tensors = [""], {FORM}, cluster = 4 : i64}}> ({{
^bb0(%a: tensor<3x3x2xf32>):
  %f = "kernel.apply_filters"(%a) <{{weights = "w", {WINDOW}, origins = array<i64: 0>,
    tiles = array<i64: 0, 0, 4, 0, 4, 8>, channels = array<i64: 0, 3>}}> : (tensor<3x3x2xf32>) -> tensor<2x2x3xf32>
  "spat.yield"(%f) : (tensor<2x2x3xf32>) -> ()
}}) : (tensor<3x3x2xf32>) -> tensor<2x2x3xf32>
%g = "spat.compute"(%x) <{{node = "groups", tensors = [""], {FORM}, core = 7 : i64}}> ({{
^bb0(%a: tensor<3x3x2xf32>):
  %f = "kernel.apply_blocks"(%a) <{{weights = "w", {WINDOW}, origin = 0 : i64, groups = 2 : i64,
    blocks = array<i64: 0, 1, 1, 2>}}> : (tensor<3x3x2xf32>) -> tensor<2x2x2xf32>
  "spat.yield"(%f) : (tensor<2x2x2xf32>) -> ()
}}) : (tensor<3x3x2xf32>) -> tensor<2x2x2xf32>
%y = "spat.compute"(%g, %c) <{{node = "join", tensors = [""], {FORM}}}> ({{
^bb0(%a: tensor<2x2x2xf32>, %b: tensor<2x2x3xf32>):
  %f = "kernel.concat"(%a, %b) <{{origins = array<i64: 0, 0, 0, 0, 0, 2>, starts = array<i64: 0, 0, 0, 0, 0, 0>,
    sizes = array<i64: 2, 2, 2, 2, 2, 3>}}> : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x5xf32>
  "spat.yield"(%f) : (tensor<2x2x5xf32>) -> ()
}}) : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x5xf32>
"""


def test_rows_tell_crossbars_work_bytes_and_what_is_known_of_cores():
    module = parse_module(TEXT, Path("x.mlir"), make_context())
    table = work_table([op for op in module.ops if isinstance(op, spat.ComputeOp)])
    assert [work.compute.node.data for work in table] == ["conv", "groups", "join"]
    assert [work.crossbars for work in table] == [2, 2, 0]
    assert [work.macs for work in table] == [4 * 8 * 3, 4 * 4 * 2, 0]  # pixels, rows of a filter, filters
    image = 3 * 3 * 2 * 4
    assert [work.operands for work in table] == [((-1, image),), ((-1, image),), ((1, 4 * 2 * 4), (0, 4 * 3 * 4))]
    assert [work.cluster for work in table] == [4, None, None]
    assert [work.core for work in table] == [None, 7, None]
    assert consumers(table) == [[(2, 48)], [(2, 32)], []]
