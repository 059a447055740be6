"""Which nests round floats whose last bits depend on who computes them: behind functions that are approximated."""

import numpy as np
import pytest
from one_nodes import node_model
from onnx import helper

from compiler.frontend.importer import import_model
from compiler.interpreter.inexact import rounding
from compiler.session.context import make_context

APPROXIMATED = (
    *("Exp", "Log", "Tanh", "Sigmoid", "Erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh"),
    *("Asinh", "Acosh", "Atanh", "Softplus", "Gelu", "Mish"),
)
OF_IEEE = ("Sqrt", "Abs", "Neg", "Relu", "Reciprocal", "Sign", "Floor")


def rounded(kind, inputs=1, **attributes):
    """How many nests of a network round inexact floats: `kind`, then two roundings, one of what comes in."""
    x = {name: np.zeros((2, 3), np.float32) for name in ("x", "z")[:inputs]}
    model = node_model(kind, x, opset=20, outputs=("f",), **attributes)
    model.graph.node.extend([helper.make_node("Round", ["f"], ["y"]), helper.make_node("Ceil", ["x"], ["w"])])
    (output,) = model.graph.output
    output.name = "y"
    model.graph.output.append(helper.make_tensor_value_info("w", 1, None))
    return len(rounding(import_model(model, make_context()).module))


@pytest.mark.parametrize("kind", APPROXIMATED)
def test_what_is_behind_functions_that_are_approximated(kind):
    assert rounded(kind) == 1


@pytest.mark.parametrize("kind", OF_IEEE)
def test_functions_whose_bits_are_the_same_everywhere(kind):
    assert rounded(kind) == 0


@pytest.mark.parametrize(("kind", "attributes", "count"), [("Pow", {}, 1), ("Mod", {"fmod": 1}, 1), ("Max", {}, 0)])
def test_functions_of_two(kind, attributes, count):
    assert rounded(kind, 2, **attributes) == count
