"""Nodes with several results: all are results of one operation, each with the name of its tensor."""

import numpy as np
import pytest
from onnx import helper
from onnx_models import make_model
from onnx_passes import agree_after, kinds
from xdsl.utils.exceptions import VerifyException

from compiler.dialects import attributes as attr
from compiler.dialects.onnx import SplitOp
from compiler.dialects.onnx_op import tensor_name
from compiler.frontend import importer
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from compiler.transforms.remove_identity import RemoveIdentityPass
from emu.errors import CompileError


def three_parts(outputs=("a", "b", "c"), used=("a", "c")):
    """Relu of the parts that are `used`, of 1, 2 and 3 channels."""
    nodes = [helper.make_node("Split", ["x", "sizes"], outputs, "cut", axis=1)]
    nodes += [helper.make_node("Relu", [name], [f"{name}_relu"]) for name in used]
    return make_model(nodes, {"x": (1, 6, 2)}, [f"{name}_relu" for name in used], {"sizes": np.array([1, 2, 3])})


def split_of(imported) -> SplitOp:
    (op,) = (op for op in imported.module.walk() if isinstance(op, SplitOp))
    return op


def test_every_output_is_a_result():
    op = split_of(import_model(three_parts(), make_context()))
    assert (op.axis.value.data, attr.values(op.split)) == (1, (1, 2, 3))
    assert [result.type.get_shape() for result in op.results] == [(1, 1, 2), (1, 2, 2), (1, 3, 2)]
    assert [name.data for name in op.tensors] == list(op.tensor_names) == ["a", "b", "c"]
    assert [tensor_name(result) for result in op.results] == ["a", "b", "c"] and tensor_name(op.x) == ""


def test_outputs_without_a_name_are_results_too():
    op = split_of(import_model(three_parts(("a", "", "c")), make_context()))
    assert op.tensor_names == ("a", "cut/output1", "c")
    op = split_of(import_model(three_parts(("", "", "c"), ("c",)), make_context()))
    assert op.tensor_names == ("cut/output0", "cut/output1", "c")


def test_nodes_that_share_no_output_but_a_missing_one_stay_apart():
    """A node whose only unused output has no name is not what an operation with a missing input needs."""
    model = three_parts()
    model.graph.node.append(helper.make_node("NoSuchOperator", ["x"], ["", "nobody"], domain="com.example"))
    model.graph.node.append(helper.make_node("Clip", ["a_relu", "", "six"], ["y"]))
    model.graph.initializer.append(helper.make_tensor("six", 1, [], [6.0]))
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    model.graph.output[0].name = "y"
    assert kinds(import_model(model, make_context()).module) == ["Split", "Relu", "Relu", "Clip"]


def test_all_outputs_have_the_shape_that_onnx_infers(monkeypatch):
    infer = importer.infer_shapes
    monkeypatch.setattr(importer, "infer_shapes", lambda *arguments: infer(*arguments) | {"c": (1, 4, 2)})
    with pytest.raises(CompileError, match=r"'cut' \(Split\) has output shape \[1, 3, 2\] by its attributes, but ONNX"):
        import_model(three_parts(), make_context())


def test_one_part_is_the_whole():
    nodes = [helper.make_node("Split", ["x"], ["y"], axis=0)]
    assert kinds(agree_after(make_model(nodes, {"x": (3, 2)}), RemoveIdentityPass())) == []


def test_identities_after_a_part_show_that_part():
    nodes = [
        helper.make_node("Split", ["x"], ["a", "b"], axis=0),
        helper.make_node("Identity", ["b"], ["y"], "same"),
        helper.make_node("Relu", ["a"], ["z"]),
    ]
    context = make_context()
    imported = import_model(make_model(nodes, {"x": (4,)}, ["y", "z"]), context)
    RemoveIdentityPass().apply(context, imported.module)
    assert context.provenance.views == {"y": "b"}
    assert context.provenance.losses == {}


def test_every_result_needs_a_size_and_a_name():
    op = split_of(import_model(three_parts(), make_context()))
    op.properties["tensors"] = attr.strings(["a", "b"])
    with pytest.raises(VerifyException, match="must have one size and one name for each result"):
        op.verify()
