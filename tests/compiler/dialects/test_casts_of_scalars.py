"""Scalars of one type become another by the operation of `arith` that ONNX's and linalg's promotions mean."""

import pytest
from xdsl.dialects.builtin import IndexType, f32, f64, i1, i8, i32, i64
from xdsl.ir import Block

from compiler.dialects.linalg.bodies import add, cast, is_float, multiply


@pytest.mark.parametrize(
    ("kind", "to", "unsigned", "name"),
    [
        (f32, f64, False, "extf"),
        (f64, f32, False, "truncf"),
        (i8, i32, False, "extsi"),
        (i8, i32, True, "extui"),
        (i64, i8, False, "trunci"),
        (i64, i8, True, "trunci"),
        (i32, f32, False, "sitofp"),
        (i32, f32, True, "uitofp"),
        (f32, i32, False, "fptosi"),
        (f32, i32, True, "fptoui"),
        (IndexType(), i64, False, "index_cast"),
        (i32, IndexType(), True, "index_cast"),
    ],
)
def test_a_cast(kind, to, unsigned, name):
    made = cast(Block(arg_types=[kind]).args[0], to, unsigned=unsigned)
    assert (made.owner.name, made.type) == (f"arith.{name}", to)
    made.owner.verify()


@pytest.mark.parametrize(
    ("kind", "sum_of", "product_of"), [(f32, "addf", "mulf"), (i32, "addi", "muli"), (i1, "ori", "andi")]
)
def test_sums_and_products(kind, sum_of, product_of):
    a, b = Block(arg_types=[kind, kind]).args
    assert cast(a, kind) is a and is_float(a) == (kind is f32)
    assert (add(a, b).owner.name, multiply(a, b).owner.name) == (f"arith.{sum_of}", f"arith.{product_of}")
