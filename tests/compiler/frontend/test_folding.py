"""Shape sub-graphs and constant arithmetic of exporters vanish; the result does not change."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, one_node, random_array

from compiler.dialects.onnx_op import OnnxOp
from compiler.frontend.folding import Folder
from compiler.frontend.importer import import_model
from compiler.session.context import make_context
from emu.errors import CompileError

NODE = helper.make_node


def kinds_after_import(model, shape, given=None) -> list[str]:
    """Operators left; the outputs agree with onnxruntime."""
    context, x = make_context(), random_array(*shape)
    module = import_model(model, context, given).module
    np.testing.assert_allclose(
        evaluate_module(module, context, {"x": x})[0], run_onnx(model, {"x": x})[0], rtol=1e-5, atol=1e-6
    )
    return [op.name.removeprefix("onnx.") for op in module.walk() if isinstance(op, OnnxOp)]


def constant(name: str, value: object, dtype: type = np.int64):
    return NODE("Constant", [], [name], value=numpy_helper.from_array(np.array(value, dtype), name))


def test_view_of_the_older_exporter():
    """x.view(x.size(0), -1) with a dynamic batch: Shape, Gather, Unsqueeze, Concat, Reshape."""
    nodes = [
        NODE("Shape", ["x"], ["s"]),
        constant("zero", 0),
        NODE("Gather", ["s", "zero"], ["n"], axis=0),
        NODE("Unsqueeze", ["n"], ["n1"], axes=[0]),
        constant("rest", [-1]),
        NODE("Concat", ["n1", "rest"], ["shape"], axis=0),
        NODE("Reshape", ["x", "shape"], ["y"]),
    ]
    model = make_model(nodes, {"x": ("batch", 3, "h", "w")}, opset=11)
    assert kinds_after_import(model, (1, 3, 4, 5), {"x": (1, 3, 4, 5)}) == ["Reshape"]


def test_slices_casts_and_arithmetic_of_shapes():
    nodes = [
        NODE("Shape", ["x"], ["s"], start=1),
        NODE("Slice", ["s", "one", "three"], ["hw"]),
        NODE("ReduceProd", ["hw"], ["p"], keepdims=1),
        NODE("Cast", ["p"], ["f"], to=TensorProto.FLOAT),
        NODE("Div", ["f", "two"], ["g"]),
        NODE("Cast", ["g"], ["i"], to=TensorProto.INT64),
        NODE("Concat", ["one", "i", "rest"], ["shape"], axis=0),
        NODE("Reshape", ["x", "shape"], ["y"]),
    ]
    weights = {name: np.array([value]) for name, value in (("one", 1), ("three", 3), ("rest", -1))}
    model = make_model(nodes, {"x": (1, 3, 4, 5)}, weights={**weights, "two": np.array([2], np.float32)})
    assert kinds_after_import(model, (1, 3, 4, 5)) == ["Reshape"]


def test_size_of_a_value():
    nodes = [
        NODE("Relu", ["x"], ["r"]),
        NODE("Size", ["r"], ["n"]),
        NODE("Cast", ["n"], ["f"], to=TensorProto.FLOAT),
        NODE("Div", ["r", "f"], ["y"]),
    ]
    assert kinds_after_import(make_model(nodes, {"x": (1, 6)}), (1, 6)) == ["Relu", "Constant", "Div"]


def test_weights_made_by_constant_nodes():
    """float16 and quantised weights that are converted before use, and a transposed one."""
    scale, zero = np.array(0.05, np.float32), np.array(3, np.int8)
    quantised = np.random.default_rng(0).integers(-100, 100, (8, 6)).astype(np.int8)
    nodes = [
        NODE("Cast", ["half"], ["h"], to=TensorProto.FLOAT),
        NODE("Add", ["x", "h"], ["a"]),
        NODE("DequantizeLinear", ["q", "scale", "zero"], ["w"]),
        NODE("MatMul", ["a", "w"], ["b"]),
        NODE("Transpose", ["t"], ["tt"], perm=[1, 0]),
        NODE("MatMul", ["b", "tt"], ["y"]),
    ]
    weights = {"half": random_array(8).astype(np.float16), "q": quantised, "scale": scale, "zero": zero}
    model = make_model(nodes, {"x": (1, 8)}, weights={**weights, "t": random_array(4, 6)})
    kinds = kinds_after_import(model, (1, 8))
    assert kinds == ["Constant", "Add", "Constant", "MatMul", "Constant", "MatMul"]


@pytest.mark.parametrize(
    ("attribute", "expected"), [({"value_float": 1.5}, 1.5), ({"value_floats": [1.5, 1.5, 1.5, 1.5]}, 1.5)]
)
def test_forms_of_constant(attribute, expected):
    nodes = [NODE("Constant", [], ["c"], **attribute), NODE("Add", ["x", "c"], ["y"])]
    context = make_context()
    module = import_model(make_model(nodes, {"x": (1, 4)}), context).module
    zeros = np.zeros((1, 4), np.float32)
    np.testing.assert_array_equal(evaluate_module(module, context, {"x": zeros})[0], zeros + np.float32(expected))


def test_constants_of_text_are_refused():
    nodes = [NODE("Constant", [], ["c"], "text", value_string="hello"), NODE("Reshape", ["x", "c"], ["y"])]
    with pytest.raises(CompileError, match=r"node 'text' \(Constant\) holds text"):
        import_model(make_model(nodes, {"x": (1, 4)}), make_context())


def test_operators_that_the_reference_evaluator_gets_wrong():
    nodes = [NODE("Softmax", ["w"], ["s"], "soft", axis=1), NODE("Add", ["x", "s"], ["y"])]
    model = make_model(nodes, {"x": (1, 2, 3)}, weights={"w": random_array(1, 2, 3)}, opset=11)
    assert kinds_after_import(model, (1, 2, 3)) == ["Constant", "Add"]


def test_an_evaluation_that_fails_names_the_node():
    nodes = [NODE("Gather", ["w", "i"], ["g"], "pick"), NODE("Add", ["x", "g"], ["y"])]
    model = make_model(nodes, {"x": (1, 4)}, weights={"w": random_array(3), "i": np.array(7)})
    with pytest.raises(CompileError, match=r"node 'pick' \(Gather\) has only constant inputs but cannot be evaluated"):
        import_model(model, make_context())


def test_a_constant_network():
    model = one_node("Mul", (1, 4), random_array(4))
    model.graph.node[0].input[0] = "w0"
    context = make_context()
    module = import_model(model, context).module
    got = evaluate_module(module, context, {"x": random_array(1, 4)})[0]
    np.testing.assert_array_equal(got, random_array(4) ** 2)


A, B = random_array(2, 3, 4), random_array(2, 3, 4, seed=1)
FOLDED = {
    "cast": (NODE("Cast", ["a"], ["c"], to=TensorProto.INT64), {"a": 10 * A}),
    "add": (NODE("Add", ["a", "b"], ["c"]), {"a": A, "b": B}),
    "matmul": (NODE("MatMul", ["a", "b"], ["c"]), {"a": A, "b": random_array(2, 4, 3)}),
    "transpose": (NODE("Transpose", ["a"], ["c"], perm=[2, 0, 1]), {"a": A}),
    "gather": (NODE("Gather", ["a", "i"], ["c"], axis=1), {"a": A, "i": np.array([2, 0])}),
    "slice": (NODE("Slice", ["a", "i", "j"], ["c"]), {"a": A, "i": np.array([0, 1]), "j": np.array([2, 3])}),
    "concat": (NODE("Concat", ["a", "b"], ["c"], axis=2), {"a": A, "b": B}),
    "mean": (NODE("ReduceMean", ["a"], ["c"], axes=[1]), {"a": A}),
    "range": (NODE("Range", ["i", "j", "k"], ["c"]), {"i": np.array(2), "j": np.array(9), "k": np.array(3)}),
    "dequantize": (
        NODE("DequantizeLinear", ["q", "s", "z"], ["c"]),
        {"q": np.array([-7, 0, 9], np.int8), "s": np.array(0.5, np.float32), "z": np.array(3, np.int8)},
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_folded_values_by_another_evaluator(name):
    """onnxruntime folds, and it is also the golden of whole networks: here ONNX's own evaluator is the judge."""
    (node, weights), opset = FOLDED[name], 19 if name == "dequantize" else 17
    (ours,) = Folder("net", 0).fold(node, [weights[key] for key in node.input], opset)
    graph = helper.make_graph(
        [node],
        "one",
        [],
        [helper.make_empty_tensor_value_info("c")],
        [numpy_helper.from_array(array, key) for key, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    (theirs,) = ReferenceEvaluator(model).run(None, {})
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


def folded(kind, outputs=1, opset=17, x=(1, 4), attributes=None, **weights):
    """x + the first output of a node of constants."""
    names = [f"made{k}" for k in range(outputs)]
    nodes = [NODE(kind, list(weights), names, "maker", **(attributes or {})), NODE("Cast", [names[0]], ["f"], to=1)]
    arrays = {name: np.asarray(value) for name, value in weights.items()}
    return make_model([*nodes, NODE("Add", ["x", "f"], ["y"])], {"x": x}, weights=arrays, opset=opset)


@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("NonZero", {"a": np.array([0, 1, 2, 0, 3, 4])}),
        ("Compress", {"a": np.array([1.0, 2, 3, 4, 5], np.float32), "b": np.array([1, 1, 0, 1, 1], bool)}),
        ("Unique", {"a": np.array([1.0, 2, 2, 3, 1, 4], np.float32)}),
        ("OneHot", {"a": np.array([2]), "b": np.array(4), "c": np.array([0.0, 1.0], np.float32)}),
        ("Range", {"a": np.array(0.0, np.float32), "b": np.array(4.0, np.float32), "c": np.array(1.0, np.float32)}),
    ],
)
def test_outputs_whose_size_depends_on_values(kind, weights):
    assert kinds_after_import(folded(kind, **weights), (1, 4))[-1] == "Add"


def test_texts_are_not_folded():
    """A text can double with each node, and no shape tells."""
    with pytest.raises(CompileError, match=r"\(StringConcat\) works on texts"):
        import_model(
            folded("StringConcat", opset=20, a=np.array(["ab"], object), b=np.array(["c"], object)), make_context()
        )
    model = folded("Identity", a=np.array(["ab"], object))
    with pytest.raises(
        CompileError, match=r"node 'maker' \(Identity\) has only constant inputs, but an output whose size"
    ):
        import_model(model, make_context())


def test_work_of_folding_is_limited(monkeypatch):
    model = folded("MatMul", x=(1, 3), a=np.ones((1, 3), np.float32), b=np.ones((3, 3), np.float32))
    monkeypatch.setattr("compiler.frontend.folding.MAX_FOLDING_WORK", 9)
    import_model(model, make_context())
    monkeypatch.setattr("compiler.frontend.folding.MAX_FOLDING_WORK", 8)
    with pytest.raises(CompileError, match=r"node 'maker' \(MatMul\) multiplies constants that are too large"):
        import_model(model, make_context())


def test_memory_of_folding_is_limited_in_all(monkeypatch):
    monkeypatch.setattr("compiler.frontend.folding.MAX_FOLDED", 8 * 40)
    monkeypatch.setattr("compiler.frontend.folding.FOLDED_PER_STORED", 0)
    nodes = [NODE("Neg", [f"v{k}"], [f"v{k + 1}"], f"neg{k}") for k in range(12)]
    model = make_model(
        [*nodes, NODE("Add", ["x", "v12"], ["y"])], {"x": (1, 4)}, weights={"v0": np.ones(4, np.float32)}
    )
    with pytest.raises(CompileError, match=r"node 'neg10' \(Neg\) would make a constant of shape \[4\]"):
        import_model(model, make_context())


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (NODE("Neg", ["a"], ["c"]), [-1.5, 2.5]),
        (NODE("Cast", ["a"], ["c"], to=TensorProto.INT32), [1, -2]),
        (NODE("SwiGLU", ["a", "a"], ["c"]), [1.5**2 / (1 + np.exp(-1.5)), 2.5**2 / (1 + np.exp(2.5))]),
    ],
    ids=["unchanged", "of more types", "new"],
)
def test_operator_sets_that_onnxruntime_does_not_know(node, expected):
    array = np.array([1.5, -2.5], np.float32)
    (made,) = Folder("net", 0).fold(node, [array] * len(node.input), 28)
    np.testing.assert_allclose(made, expected, rtol=1e-6)
