"""Branches that a constant chooses and loops of a known length vanish at import; others are refused by name."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, random_array

from compiler.frontend.graph_reader import GraphReader
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.errors import CompileError

NODE, INFO = helper.make_node, helper.make_tensor_value_info
F, INT, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def same_as_onnxruntime(model, **inputs: np.ndarray) -> str:
    """The text of the module, which computes what onnxruntime does with the branches and loops."""
    context = make_context()
    module = import_model(model, context).module
    for got, want in zip(evaluate_module(module, context, inputs), run_onnx(model, inputs), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
    return str(module)


def graph(nodes, outputs, inputs=(), stored=()):
    values = [INFO(name, kind, None) for name, kind in outputs]
    given = [INFO(name, kind, shape) for name, kind, shape in inputs]
    return helper.make_graph(list(nodes), "inner", given, values, list(stored))


def same(name: str, kind: int = F):
    """A graph that hands on a value from around it."""
    return graph([NODE("Identity", [name], ["handed"])], [("handed", kind)])


def branches(then, otherwise, condition: str = "c"):
    return NODE("If", [condition], ["y"], "choose", then_branch=then, else_branch=otherwise)


@pytest.mark.parametrize("height", [1, 2])
def test_a_branch_that_a_shape_chooses(height):
    """As the older exporter writes squeeze: only the chosen branch needs supported operators."""
    constant = numpy_helper.from_array(np.array([0, 0]), "at")
    then = graph([NODE("Flatten", ["h"], ["t"])], [("t", F)])
    otherwise = graph([NODE("GatherND", ["h", "at"], ["e"]), NODE("Relu", ["h"], ["f"])], [("f", F)], stored=[constant])
    nodes = [
        NODE("Shape", ["x"], ["s"]),
        NODE("Gather", ["s", "zero"], ["n"]),
        NODE("Equal", ["n", "one"], ["c"]),
        NODE("Sigmoid", ["x"], ["h"]),
        branches(then, otherwise),
    ]
    weights = {"zero": np.array(0), "one": np.array(1)}
    text = same_as_onnxruntime(make_model(nodes, {"x": (height, 3)}, weights=weights), x=random_array(height, 3))
    assert ("onnx.Flatten" in text, "onnx.Relu" in text) == (height == 1, height == 2)
    assert "choose/" in text


def test_a_branch_may_be_a_value_from_outside_or_a_constant():
    for chosen in (True, False):
        then, otherwise = (
            same("h"),
            graph([NODE("Constant", [], ["k"], value_floats=[1.0, 2.0])], [("k", F)]),
        )
        nodes = [NODE("Relu", ["x"], ["h"]), NODE("If", ["c"], ["u"], then_branch=then, else_branch=otherwise)]
        nodes += [NODE("Add", ["u", "x"], ["y"])]
        model = make_model(nodes, {"x": (2,)}, weights={"c": np.array(chosen)})
        same_as_onnxruntime(model, x=random_array(2))


def test_a_branch_within_a_branch_sees_the_names_around():
    inner = NODE("If", ["c"], ["v"], then_branch=graph([NODE("Add", ["r", "h"], ["q"])], [("q", F)]),
                 else_branch=graph([NODE("Sub", ["r", "h"], ["q"])], [("q", F)]))  # fmt: skip
    then = graph([NODE("Relu", ["x"], ["r"]), inner], [("v", F)])
    nodes = [NODE("Sigmoid", ["x"], ["h"]), branches(then, same("h"))]
    same_as_onnxruntime(make_model(nodes, {"x": (3,)}, weights={"c": np.array(True)}), x=random_array(3))


def test_values_that_are_known_behind_a_branch_fold():
    """A shape that a branch makes, and a constant operator on it that has no import function."""
    then = graph([NODE("Constant", [], ["k"], value_ints=[3, 2])], [("k", INT)])
    nodes = [
        NODE("If", ["c"], ["s"], then_branch=then, else_branch=same("d", INT)),
        NODE("BitwiseNot", ["s"], ["n"]),
        NODE("BitwiseNot", ["n"], ["m"]),
        NODE("Reshape", ["x", "m"], ["y"]),
    ]
    weights = {"c": np.array(True), "d": np.array([6])}
    model = make_model(nodes, {"x": (2, 3)}, weights=weights, opset=18)
    assert "onnx.Reshape" in same_as_onnxruntime(model, x=random_array(2, 3))


def loop(body, inputs=("n", "go", "x"), outputs=("y",)):
    return NODE("Loop", list(inputs), list(outputs), "turns", body=body)


def doubling(*extra, outputs=()):
    """v = relu(v + i), with further outputs."""
    nodes = [
        NODE("Cast", ["i"], ["f"], to=F),
        NODE("Add", ["v", "f"], ["a"]),
        NODE("Relu", ["a"], ["w"]),
        NODE("Identity", ["going"], ["still"]),
        *extra,
    ]
    return graph(nodes, [("still", B), ("w", F), *outputs], [("i", INT, ()), ("going", B, ()), ("v", F, None)])


def test_turns_of_a_loop_one_after_the_other():
    weights = {"n": np.array(3), "go": np.array(True)}
    text = same_as_onnxruntime(make_model([loop(doubling())], {"x": (2, 3)}, weights=weights), x=random_array(2, 3))
    assert text.count("onnx.Relu") == 3
    assert "turns/2/" in text


def test_values_of_all_turns():
    weights = {"n": np.array(4), "go": np.array(True)}
    body = doubling(NODE("Sigmoid", ["w"], ["row"]), outputs=[("row", F)])
    model = make_model([loop(body, outputs=("z", "y"))], {"x": (2, 3)}, ["z", "y"], weights=weights)
    same_as_onnxruntime(model, x=random_array(2, 3))


def test_a_loop_that_its_condition_ends():
    """Without a bound, while i < 2."""
    nodes = [
        NODE("Less", ["i", "two"], ["still"]),
        NODE("Add", ["v", "v"], ["w"]),
    ]
    body = graph(nodes, [("still", B), ("w", F)], [("i", INT, ()), ("going", B, ()), ("v", F, (3,))])
    weights = {"two": np.array(2), "go": np.array(True)}
    text = same_as_onnxruntime(
        make_model([loop(body, ("", "go", "x"))], {"x": (3,)}, weights=weights), x=random_array(3)
    )
    assert text.count("onnx.Add") == 3


def test_a_loop_of_no_turn_gives_back_what_it_got():
    weights = {"n": np.array(0), "go": np.array(True)}
    model = make_model([loop(doubling(), outputs=("u",)), NODE("Relu", ["u"], ["y"])], {"x": (3,)}, weights=weights)
    same_as_onnxruntime(model, x=random_array(3))


def test_a_loop_whose_condition_never_ends_it_is_refused(monkeypatch):
    """What its condition will be is not known before its turns are made."""
    monkeypatch.setattr("compiler.frontend.graph_reader.MAX_NODES", 50)
    nodes = [NODE("Less", ["i", "most"], ["still"]), NODE("Identity", ["v"], ["w"])]
    body = graph(nodes, [("still", B), ("w", F)], [("i", INT, ()), ("going", B, ()), ("v", F, (3,))])
    weights = {"go": np.array(True), "most": np.array(1 << 40)}
    model = make_model([loop(body, ("", "go", "x"))], {"x": (3,)}, weights=weights)
    with pytest.raises(CompileError, match="makes more than 50 nodes"):
        import_model(model, make_context())


def conditions():
    """Ways of a condition that is always true: nodes, name, initialisers."""
    still = helper.make_tensor("still", B, (), [True])
    return {
        "passed on": ([NODE("Identity", ["going"], ["c"]), NODE("Identity", ["c"], ["still"])], "still", []),
        "itself": ([], "going", []),
        "a node": ([NODE("Constant", [], ["still"], value=still)], "still", []),
        "stored": ([], "still", [still]),
        "from around it": ([NODE("Identity", ["go"], ["still"])], "still", []),
    }


@pytest.mark.parametrize("way", conditions())
@pytest.mark.parametrize("turns", [30_000, 1 << 20, (1 << 63) - 1, None])
def test_too_many_turns_are_refused_before_the_first_one_is_made(monkeypatch, turns, way):
    monkeypatch.setattr(GraphReader, "read_body", None)
    nodes, name, stored = conditions()[way]
    body = graph([*nodes, NODE("Relu", ["v"], ["w"])], [(name, B), ("w", F)],
                 [("i", INT, ()), ("going", B, ()), ("v", F, (3,))])  # fmt: skip
    body.initializer.extend(stored)
    weights = {"go": np.array(True), **({} if turns is None else {"n": np.array(turns)})}
    model = make_model([loop(body, ("" if turns is None else "n", "go", "x"))], {"x": (3,)}, weights=weights)
    told = "never ends" if turns is None else f"makes {turns} turns of "
    assert f"node 'turns' (Loop) {told}" in refusal(model)


def test_turns_of_more_constants_than_are_evaluated_are_refused_before_the_first_one_is_made(monkeypatch):
    monkeypatch.setattr(GraphReader, "read_body", None)
    weights = {"go": np.array(True), "n": np.array(2_501)}
    model = make_model([loop(doubling())], {"x": (3,)}, weights=weights)
    assert "node 'turns' (Loop) makes 2501 turns of 2 nodes each that have constant inputs only" in refusal(model)


@pytest.mark.parametrize("known", ["around it", "in it", "stored in it"])
def test_turns_of_turns_are_refused_before_the_first_one_is_made(monkeypatch, known):
    """200 x 400 turns: none of the loops alone is too long."""
    monkeypatch.setattr(GraphReader, "read_body", None)
    inner_body = graph([NODE("Relu", ["u"], ["r"])], [("on", B), ("r", F)],
                       [("j", INT, ()), ("on", B, ()), ("u", F, (3,))])  # fmt: skip
    count = helper.make_tensor("m", INT, (), [400])
    nodes = [NODE("Loop", ["m", "", "v"], ["w"], "inner", body=inner_body)]
    if known == "in it":
        nodes.insert(0, NODE("Constant", [], ["m"], value=count))
    body = graph(nodes, [("going", B), ("w", F)], [("i", INT, ()), ("going", B, ()), ("v", F, (3,))])
    if known == "stored in it":
        body.initializer.append(count)
    weights = {"go": np.array(True), "n": np.array(200), **({"m": np.array(400)} if known == "around it" else {})}
    model = make_model([loop(body)], {"x": (3,)}, weights=weights)
    assert "node 'turns' (Loop) makes 200 turns of " in refusal(model)


def test_turns_that_something_else_may_end_are_not_counted():
    """Inner loops that end after their first turn, though they might make a million."""
    nodes = [NODE("Less", ["j", "none"], ["on"]), NODE("Relu", ["u"], ["r"])]
    inner_body = graph(nodes, [("on", B), ("r", F)], [("j", INT, ()), ("still", B, ()), ("u", F, (3,))])
    inner = NODE("Loop", ["m", "", "v"], ["w"], "inner", body=inner_body)
    body = graph([inner], [("going", B), ("w", F)], [("i", INT, ()), ("going", B, ()), ("v", F, (3,))])
    weights = {"go": np.array(True), "n": np.array(2), "m": np.array(1_000_000), "none": np.array(0)}
    same_as_onnxruntime(make_model([loop(body)], {"x": (3,)}, weights=weights), x=random_array(3))


def refusal(model) -> str:
    with pytest.raises(CompileError) as caught:
        import_model(model, make_context())
    return str(caught.value)


def test_conditions_and_counts_of_the_run_are_refused():
    condition = make_model([branches(same("x"), graph([NODE("Relu", ["x"], ["r"])], [("r", F)]))], {"x": (3,)})
    condition.graph.input.append(INFO("c", B, ()))
    assert "node 'choose' (If) chooses by a value that is computed at run time: export the model without it" in refusal(
        condition
    )
    counted = make_model([loop(doubling())], {"x": (3,)}, weights={"go": np.array(True)})
    counted.graph.input.append(INFO("n", INT, ()))
    assert "node 'turns' (Loop) makes a number of turns that is computed at run time" in refusal(counted)


def test_scans_are_refused():
    body = graph([NODE("Relu", ["a"], ["b"])], [("b", F)], [("a", F, (3,))])
    model = make_model([NODE("Scan", ["x"], ["y"], "rows", body=body, num_scan_inputs=1)], {"x": (2, 3)})
    assert "node 'rows' (Scan) repeats a graph, which is not supported" in refusal(model)
