"""The dialects `indexed` and `nest`: what their verifiers take, and what they refuse of an edited text."""

import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from compiler.dialects.indexed import ArgOp, GatherOp, PutOp, TopKOp
from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.types import ELEMENTS
from compiler.nests.body import BodyStep, NestBody
from compiler.nests.linear import Linear, identity
from compiler.nests.nest import Nest
from emu.isa.dtypes import DType

F32, I32, I64 = DType.f32, DType.i32, DType.i64
TURNED = Nest(
    (2, 3), (True, True), ((Linear.dim(1), Linear.dim(0)),), identity(2), NestBody((BodyStep("exp", F32, (0,)),))
)
SUMS = Nest((2, 3), (True, False), (identity(2),), (Linear.dim(0),), combine="add")
# name -> class, operands and results as (shape, type), properties: all right
RIGHT = {
    "gather": (GatherOp, [((2, 5, 3), F32), ((4,), I32)], [((2, 4, 3), F32)], {}),
    "gather each": (GatherOp, [((2, 5, 3), F32), ((2, 4, 3), I64)], [((2, 4, 3), F32)], {}),
    "put": (PutOp, [((1, 5, 3), F32), ((4,), I64), ((1, 4, 3), F32)], [((1, 5, 3), F32)], {"combine": "add"}),
    "arg": (ArgOp, [((2, 5, 3), I32)], [((2, 3), I64)], {"kind": "max", "last": 0}),
    "topk": (TopKOp, [((2, 5, 3), F32)], [((2, 4, 3), F32), ((2, 4, 3), I64)], {"largest": 1, "tensors": ["y", "i"]}),
    "turned": (GenericOp, [((3, 2), F32)], [((2, 3), F32)], nest_properties(TURNED)),
    "sums": (GenericOp, [((2, 3), I32)], [((2,), I32)], nest_properties(SUMS)),
}
WRONG_VALUES = [  # name, place of an operand or result, what it is instead, sentence
    ("gather", 0, ((2, 5), F32), "works on tensors of three dimensions, not [2, 5]"),
    ("gather", 0, ((3, 5, 3), F32), "takes indices of i32 or i64 from"),
    ("gather", 1, ((4,), F32), "takes indices of i32 or i64 from"),
    ("gather", 1, ((4, 1), I32), "takes indices of i32 or i64 from"),
    ("gather each", 1, ((2, 4, 1), I64), "takes indices of i32 or i64 from"),
    ("gather each", 2, ((2, 4, 3), I32), "takes indices of i32 or i64 from"),
    ("put", 1, ((5,), I64), "they do not fit"),
    ("put", 1, ((4,), F32), "takes indices of i32 or i64, and updates of the type of x"),
    ("put", 2, ((1, 4, 3), I32), "takes indices of i32 or i64, and updates of the type of x"),
    ("put", 3, ((1, 5, 3), I32), "they do not fit"),
    ("arg", 0, ((2, 5, 3), DType.bool), "gives one index, i32 or i64, for each line of"),
    ("arg", 0, ((2, 0, 3), I32), "gives one index, i32 or i64, for each line of"),
    ("arg", 1, ((2, 1, 3), I64), "gives one index, i32 or i64, for each line of"),
    ("arg", 0, ((2, -1, 3), I32), "has a value that is no static tensor"),
    ("topk", 0, ((2, 3, 3), F32), "gives up to 3 values and indices, i32 or i64, of each line of"),
    ("topk", 1, ((2, 4, 3), I32), "gives up to 5 values and indices, i32 or i64, of each line of"),
    ("topk", 2, ((2, 3, 3), I64), "gives two tensors of one shape: values and indices"),
    ("turned", 0, ((2, 3), F32), "has a map that reaches from 0 to 2 in dimension 0, which has 2"),
    ("turned", 0, ((3, 2), I32), "has a body in which exp"),
    ("turned", 1, ((2, 4), F32), "has a result of which the parallel dimensions do not meet each element once"),
    ("sums", 0, ((2, 3), F32), "has a body that makes f32, and a result of i32"),
    ("sums", 1, ((2, 3), I32), "has a map of 1 indices to a tensor of 2 dimensions"),
]
WRONG_PROPERTIES = [
    ("put", {"combine": "replace"}, 'combine = "replace" does not exist'),
    ("arg", {"kind": "largest"}, 'kind = "largest" does not exist'),
    ("topk", {"tensors": ["y"]}, "gives two tensors of one shape: values and indices"),
    ("sums", {"combine": "mean"}, "has a reduction by 'mean', which does not exist"),
    ("sums", {"sizes": (2, 0)}, "has a space [2, 0] that is none"),
    ("turned", {"combine": "add"}, "has no reduction for add to combine"),
]


def made(name, place=-1, value=None, **changes):
    """The right operation of this name, in which one operand or result, or a property, is another one."""
    kind, operands, results, properties = RIGHT[name]
    values = [*operands, *results]
    if value is not None:
        values[place] = value
    types = [TensorType(ELEMENTS[dtype], shape) for shape, dtype in values]
    named = {"node": "n", **({} if kind is TopKOp else {"tensor": "y"}), **properties, **changes}
    inputs = [create_ssa_value(part) for part in types[: len(operands)]]
    return kind.make(inputs, *types[len(operands) :], **named)


@pytest.mark.parametrize("name", RIGHT)
def test_the_right_one_passes(name):
    made(name).verify()


@pytest.mark.parametrize(("name", "place", "value", "sentence"), WRONG_VALUES)
def test_values_that_do_not_fit_are_refused(name, place, value, sentence):
    with pytest.raises(VerifyException) as error:
        made(name, place, value).verify()
    assert sentence in str(error.value)


@pytest.mark.parametrize(("name", "change", "sentence"), WRONG_PROPERTIES)
def test_wrong_properties_are_refused(name, change, sentence):
    with pytest.raises(VerifyException) as error:
        made(name, **change).verify()
    assert sentence in str(error.value)
