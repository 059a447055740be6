"""Constants without readers and their arrays are dropped; shared arrays stay."""

from onnx import helper
from onnx_models import make_model, random_array

from compiler.dialects.onnx import ConstantOp
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.remove_dead_constants import RemoveDeadConstantsPass


def test_dead_constants_and_keys_go():
    context = make_context()
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    module = import_model(make_model(nodes, {"x": (1, 3)}, weights={"w": random_array(3)}), context).module
    (used,) = (op for op in module.walk() if isinstance(op, ConstantOp))
    context.weights.put("stray", random_array(2))
    twin = used.clone()
    used.parent_block().insert_op_before(twin, used)
    RemoveDeadConstantsPass().apply(context, module)
    module.verify()
    assert [op.key.data for op in module.walk() if isinstance(op, ConstantOp)] == ["w"]
    assert list(context.weights) == ["w"]
