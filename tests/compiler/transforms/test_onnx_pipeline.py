"""The whole pipeline: random networks and the exporters' habits keep their results and end in the legal operators."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper
from onnx_export import evaluate_module, run_onnx
from onnx_models import make_model, random_array
from onnx_passes import kinds, legalise_onnx
from xdsl.passes import ModulePass

from compiler import transforms
from compiler.frontend.importer import import_model
from compiler.passes import PASSES
from compiler.session.context import make_context
from compiler.transforms.onnx_pipeline import ONNX_PASSES, ONNX_PIPELINE

NEVER_LEFT = {"BatchNormalization", "Dropout", "Identity"}


class RandomNetwork:
    """Appends random layers to an image; every value stays of order one."""

    def __init__(self, draw, channels: int, size: int) -> None:
        self.draw, self.channels, self.size = draw, channels, size
        self.shape = (1, channels, size, size)
        self.nodes, self.weights, self.value = [], {}, "x"
        self.taps = ["x"]  # values of the present shape

    def node(self, kind: str, *inputs: str, **attributes: object) -> None:
        output = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.value, *inputs], [output], f"{kind}_{output}", **attributes))
        self.value = output

    def weight(self, *shape: int, scale: float = 1.0, positive: bool = False) -> str:
        name = f"w{len(self.weights)}"
        array = random_array(*shape, seed=len(self.weights), scale=scale)
        self.weights[name] = np.abs(array) + np.float32(0.3) if positive else array
        return name

    def conv(self) -> None:
        filters, kernel = self.draw(st.integers(1, 5)), self.draw(st.sampled_from([1, 3]))
        group = self.channels if self.draw(st.booleans()) else 1
        filters = filters * group
        depth = self.channels // group
        w = self.weight(filters, depth, kernel, kernel, scale=(depth * kernel * kernel) ** -0.5)
        bias = [self.weight(filters)] if self.draw(st.booleans()) else []
        self.node("Conv", w, *bias, group=group, auto_pad="SAME_UPPER")
        self.channels, self.taps = filters, []

    def norm(self) -> None:
        names = [self.weight(self.channels) for _ in range(3)]
        self.node("BatchNormalization", *names, self.weight(self.channels, positive=True))

    def bias(self) -> None:
        self.node("Add", self.weight(self.channels, 1, 1))

    def activation(self) -> None:
        self.node(self.draw(st.sampled_from(["Relu", "Tanh", "Sigmoid", "Identity", "Dropout"])))

    def residual(self) -> None:
        if self.taps:
            self.node("Add", self.draw(st.sampled_from(self.taps)))

    def concat(self) -> None:
        if self.taps and self.channels < 12:
            self.node("Concat", self.draw(st.sampled_from(self.taps)), axis=1)
            self.channels, self.taps = 2 * self.channels, []

    def head(self) -> None:
        if self.draw(st.booleans()):
            self.node("ReduceMean", axes=[2, 3], keepdims=0)
        else:
            self.node("GlobalAveragePool")
            self.node("Flatten")
        self.node("Gemm", self.weight(4, self.channels), self.weight(4), transB=1, alpha=0.5)
        if self.draw(st.booleans()):
            self.norm_of_vector()

    def norm_of_vector(self) -> None:
        names = [self.weight(4) for _ in range(3)]
        self.node("BatchNormalization", *names, self.weight(4, positive=True))


@st.composite
def networks(draw):
    net = RandomNetwork(draw, draw(st.integers(1, 4)), draw(st.integers(2, 5)))
    layers = [net.conv, net.norm, net.bias, net.activation, net.residual, net.concat]
    for layer in draw(st.lists(st.sampled_from(layers), min_size=1, max_size=10)):
        layer()
        net.taps.append(net.value)
    if draw(st.booleans()):
        net.head()
    net.nodes.append(helper.make_node("Identity", [net.value], ["y"]))
    return make_model(net.nodes, {"x": net.shape}, weights=net.weights)


@settings(max_examples=40)
@given(networks())
def test_random_networks_keep_their_result(model):
    context = make_context()
    imported = import_model(model, context)
    x = random_array(*imported.inputs[0].shape)
    legalise_onnx(context, imported.module)
    expected = run_onnx(model, {"x": x})[0]
    got = evaluate_module(imported.module, context, {"x": x})[0]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-4 * max(1.0, float(np.abs(expected).max())))
    assert NEVER_LEFT.isdisjoint(kinds(imported.module))
    keys = {op.key.data for op in imported.module.walk() if op.name == "onnx.Constant"}
    assert keys == set(context.weights)


def test_no_pass_is_forgotten_and_what_is_dead_goes_last():
    """A pass is a file: each of `compiler/transforms` is in the table by the name of its file."""
    folder = Path(transforms.__file__).parent
    modules = [import_module(f"{transforms.__name__}.{file.stem}") for file in folder.glob("*.py")]
    kinds = {
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, ModulePass) and hasattr(kind, "name")
        if kind.__module__ == module.__name__
    }
    assert kinds == set(PASSES.values()) and len(set(ONNX_PIPELINE)) == len(ONNX_PIPELINE)
    assert ONNX_PIPELINE[-1] == "remove-dead-constants"


@pytest.mark.parametrize("name", ONNX_PIPELINE)
def test_a_pass_lives_in_the_file_of_its_name(name):
    assert ONNX_PASSES[name].__module__ == f"compiler.transforms.{name.replace('-', '_')}"


@pytest.mark.parametrize("name", ONNX_PIPELINE)
def test_passes_need_our_context(name):
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    with pytest.raises(TypeError, match="CompilerContext"):
        ONNX_PASSES[name]().apply(Context(), ModuleOp([]))
