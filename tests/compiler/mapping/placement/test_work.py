"""The table of work: what each compute is, what it needs and from whom."""

from pathlib import Path

from compiler.dialects import spat
from compiler.mapping.placement.work import consumers, work_table
from compiler.mapping.work import Work
from compiler.session.context import make_context
from compiler.text import parse_module

WINDOW = "kernel = [2, 2], strides = [1, 1], dilations = [1, 1]"
FORM = "forms = <none>"
TEXT = f"""
%x = spat.input {{tensor = "x", boxes = <[0:3, 0:3, 0:2]>, form = <[1, C, H, W] with H = 3, W = 3, C = 2>}}
  : tensor<3x3x2xf32>
%c = spat.compute(%a = %x) {{node = "conv", tensors = [""], {FORM}, boxes = <[0:2, 0:2, 0:3]>, cluster = 4}}
  : (tensor<3x3x2xf32>) -> tensor<2x2x3xf32> {{
  %f = kernel.apply_filters(%a) {{weights = "w", {WINDOW}, origins = [0], tiles = <0[0:4], 0[4:8]>, channels = <0:3>}}
    : (tensor<3x3x2xf32>) -> tensor<2x2x3xf32>
  spat.yield(%f) : tensor<2x2x3xf32>
}}
%g = spat.compute(%a = %x) {{node = "groups", tensors = [""], {FORM}, boxes = <[0:2, 0:2, 0:2]>, core = 7}}
  : (tensor<3x3x2xf32>) -> tensor<2x2x2xf32> {{
  %f = kernel.apply_blocks(%a) {{weights = "w", {WINDOW}, origin = 0, groups = 2, blocks = <0:1, 1:2>}}
    : (tensor<3x3x2xf32>) -> tensor<2x2x2xf32>
  spat.yield(%f) : tensor<2x2x2xf32>
}}
%y = spat.compute(%a = %g, %b = %c) {{node = "join", tensors = [""], {FORM}, boxes = <[0:2, 0:2, 0:5]>}}
  : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x5xf32> {{
  %f = kernel.concat(%a, %b) {{parts = <[0:2, 0:2, 0:2] at [0, 0, 0], [0:2, 0:2, 0:3] at [0, 0, 2]>}}
    : (tensor<2x2x2xf32>, tensor<2x2x3xf32>) -> tensor<2x2x5xf32>
  spat.yield(%f) : tensor<2x2x5xf32>
}}
"""


def test_rows_tell_crossbars_work_bytes_and_what_is_known_of_cores():
    module = parse_module(TEXT, Path("x.mlir"), make_context())
    table = work_table([op for op in module.ops if isinstance(op, spat.ComputeOp)])
    assert [row.compute.node.data for row in table] == ["conv", "groups", "join"]
    assert [row.work for row in table] == [Work(2, 4 * 2), Work(2, 4 * 2), Work()]
    image = 3 * 3 * 2 * 4
    assert [row.operands for row in table] == [((-1, image),), ((-1, image),), ((1, 4 * 2 * 4), (0, 4 * 3 * 4))]
    assert [row.cluster for row in table] == [4, None, None]
    assert [row.core for row in table] == [None, 7, None]
    assert consumers(table) == [[(2, 48)], [(2, 32)], []]
