"""Elements that bodies take out of tensors: by maps where places are linear, as rows where they are data."""

import numpy as np
import pytest
from draws import examples
from hypothesis import given, settings
from random_texts import texts
from text_checks import check
from text_steps import elementwise
from text_wider import gather

from compiler.dialects.indexed import GatherOp
from compiler.dialects.onnx_op import OnnxOp
from compiler.frontend.nodes.scope import shape_of
from compiler.frontend.text.importer import import_text
from compiler.session.context import make_context


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gathers")


@settings(max_examples=examples(8, 200))
@given(made=texts(among=(gather, gather, elementwise)))
def test_random_gathers(made, folder):
    check(made, folder)


def taken(body, table="tensor<5x4xf32>", places="tensor<3xi64>", out="tensor<3x4xf32>"):
    """A program that takes elements of %t, with a loop for each dimension of the result."""
    return f"""func.func @main(%t: {table}, %k: {places}) -> {out} {{
  %e = tensor.empty() : {out}
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}} ins(%k : {places}) outs(%e : {out}) {{
  ^bb0(%a: i64, %o: f32):
    {body}
    linalg.yield %v : f32
  }} -> {out}
  return %r : {out}
}}
"""


def operations(text, folder):
    path = folder / "taken.mlir"
    path.write_text(text)
    return [op for op in import_text(path, make_context(), {}).module.walk() if isinstance(op, OnnxOp)]


ROWS = """%i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%i, %j] : tensor<5x4xf32>"""
BACKWARDS = """%c = arith.constant 4 : index
    %n = linalg.index 0 : index
    %i = arith.subi %c, %n : index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%i, %j] : tensor<5x4xf32>"""
COLUMNS = """%i = arith.index_cast %a : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%j, %i] : tensor<4x5xf32>"""


def test_rows_of_a_table_are_taken_whole(folder):
    (found,) = [op for op in operations(taken(ROWS), folder) if isinstance(op, GatherOp)]
    assert [shape_of(value) for value in (*found.operands, found.result)] == [(1, 5, 4), (3,), (1, 3, 4)]


def test_columns_of_a_table_are_taken_from_each_row(folder):
    (found,) = [op for op in operations(taken(COLUMNS, "tensor<4x5xf32>"), folder) if isinstance(op, GatherOp)]
    assert [shape_of(value) for value in (*found.operands, found.result)] == [(4, 5, 1), (3,), (4, 3, 1)]


def test_places_that_are_linear_are_a_map(folder):
    assert not [op for op in operations(taken(BACKWARDS), folder) if isinstance(op, GatherOp)]


@pytest.mark.parametrize("body", [ROWS, BACKWARDS], ids=["rows", "backwards"])
def test_values(body, folder):
    table, places = np.arange(20, dtype=np.float32).reshape(5, 4), np.array([4, 0, 3])
    assert check((taken(body), {"t": table, "k": places}), folder)
