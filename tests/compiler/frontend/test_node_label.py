"""What nodes without a name are called."""

from onnx import helper

from compiler.frontend.graph_checks import node_label


def test_nodes_without_a_name_go_by_their_first_output() -> None:
    assert node_label(helper.make_node("Relu", ["x"], ["y"], name="n")) == "n"
    assert node_label(helper.make_node("Relu", ["x"], ["y"])) == "y"
    assert node_label(helper.make_node("Relu", ["x"], [])) == "nameless"
