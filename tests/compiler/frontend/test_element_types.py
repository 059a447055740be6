"""Values keep their element types: operators that move elements take any, all others float32 only."""

import re

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node

from compiler.dialects.onnx import OPS, ConstantOp
from compiler.dialects.onnx_op import MovingOp
from compiler.frontend.importer import import_model
from compiler.frontend.operators import OPERATORS
from compiler.session.context import make_context
from emu.errors import CompileError
from emu.isa.dtypes import DType

SHAPE = (1, 3, 1, 4)
MOVING = {
    "Concat": lambda dtype: [np.ones(SHAPE, dtype)],
    "Dropout": None,  # of floating-point numbers only
    "Flatten": lambda dtype: [],
    "Identity": lambda dtype: [],
    "Pad": None,  # in onnxruntime of some types only
    "Reshape": lambda dtype: [np.array([3, 4])],
    "Split": lambda dtype: [],
    "Squeeze": lambda dtype: [np.array([2])],
    "Transpose": lambda dtype: [],
    "Unsqueeze": lambda dtype: [np.array([0, 5])],
}


def model_of(kind: str, dtype: DType) -> ModelProto:
    attributes = {"axis": 1} if kind == "Concat" else {}
    code = helper.np_dtype_to_tensor_dtype(dtype.numpy)
    return one_node(kind, SHAPE, *MOVING[kind](dtype.numpy), dtype=code, **attributes)


def test_the_table_of_operations_that_move_elements():
    moving = {op.name.removeprefix("onnx.") for op in OPS if issubclass(op, MovingOp) and op is not ConstantOp}
    assert moving == set(MOVING) <= set(OPERATORS)


@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("kind", sorted(kind for kind in MOVING if MOVING[kind]))
def test_elements_are_moved_as_they_are(kind, dtype):
    model, context = model_of(kind, dtype), make_context()
    imported = import_model(model, context)
    assert [info.dtype for info in (*imported.inputs, *imported.outputs)] == [dtype, dtype]
    feed = {"x": np.random.default_rng(1).integers(0, 2, SHAPE).astype(dtype.numpy)}
    (ours,), (wanted,) = evaluate_module(imported.module, context, feed), run_onnx(model, feed)
    assert ours.dtype == wanted.dtype == dtype.numpy
    np.testing.assert_array_equal(ours, wanted)


def test_dropout_of_half_precision():
    imported = import_model(one_node("Dropout", SHAPE, dtype=TensorProto.FLOAT16), make_context())
    assert [info.dtype for info in imported.outputs] == [DType.f16]


@pytest.mark.parametrize(
    ("kind", "weights", "dtype"),
    [
        ("Conv", (np.ones((2, 3, 1, 1), np.float16),), np.float16),
        ("ConvTranspose", (np.ones((3, 2, 1, 1), np.float16),), np.float16),
        ("GlobalAveragePool", (), np.float16),
        ("LRN", (), np.float16),
    ],
)
def test_what_computes_takes_float32_only(kind, weights, dtype):
    attributes = {"size": 3} if kind == "LRN" else {}
    code = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = one_node(kind, SHAPE, *weights, dtype=code, **attributes)
    with pytest.raises(CompileError) as caught:
        import_model(model, make_context())
    assert str(caught.value) == (
        f"model 'test': node 'the_node' ({kind}) computes in float32 only, but has an operand of "
        f"{np.dtype(dtype)}: convert the model to float32"
    )


def test_operands_of_several_types():
    node = helper.make_node("Concat", ["x", "w"], ["y"], "both", axis=0)
    model = make_model([node], {"x": (3,)}, weights={"w": np.ones(2, np.int8)})
    with pytest.raises(CompileError, match=re.escape("node 'both' (Concat) has operands of several element types (fl")):
        import_model(model, make_context())


@pytest.mark.parametrize("dtype", [np.float64, np.uint64])
def test_constants_of_types_that_the_machine_does_not_have(dtype):
    model = make_model([helper.make_node("Identity", ["x"], ["y"])], {"x": (3,)}, ["y", "w"], {"w": np.ones(2, dtype)})
    with pytest.raises(CompileError, match=f"constant 'w' is {np.dtype(dtype)}, a type that the machine does not"):
        import_model(model, make_context())
