"""What became of tensors: every node of a network is either in some buffer or has a reason."""

import onnx
from draws import examples
from hypothesis import given, settings
from in_process import compile_in_memory
from onnx import helper
from onnx_models import make_model, random_array
from onnx_nets import conv_nets

from compiler.frontend.importer import import_model
from compiler.passes import PASSES, PIPELINE
from compiler.session.context import make_context
from compiler.session.provenance import CONSTANT, JOINED, UNUSED, Provenance
from emu.arch import Arch


def fates_of(model: onnx.ModelProto) -> dict[str, str]:
    """Node -> why there is no tensor of it."""
    context = make_context(Arch())
    imported = import_model(model, context)
    for name in PIPELINE:
        PASSES[name]().apply(context, imported.module)
    return {origin.node: origin.absent for origin in context.provenance.origins(imported.nodes)}


def node(kind: str, inputs: str, output: str, **attributes: object) -> onnx.NodeProto:
    return helper.make_node(kind, inputs.split(), [output], output.upper(), **attributes)


def test_every_way_to_vanish() -> None:
    weights = {"w": random_array(4, 2, 1, 1), "s": random_array(4), "v": abs(random_array(4)) + 1}
    nodes = [
        node("Conv", "x w", "conv"),
        node("BatchNormalization", "conv s s s v", "bn"),
        node("Dropout", "bn", "drop"),
        node("Relu", "drop", "relu"),
        node("Identity", "relu", "same"),
        node("Flatten", "same", "flat"),
        node("Sigmoid", "flat", "sigm"),
        node("Concat", "relu relu", "two", axis=1),
        node("Neg", "s", "minus"),
        node("Mul", "two wide", "y"),
        node("Tanh", "x", "nobody"),
        node("Identity", "x", "input"),
        node("Conv", "input w", "z"),
    ]
    model = make_model(nodes, {"x": [1, 2, 3, 3]}, ("y", "sigm", "z"), {**weights, "wide": random_array(1, 8, 1, 1)})
    assert fates_of(model) == {
        "CONV": "fused into node 'RELU'",
        "BN": "fused into node 'RELU'",
        "DROP": "shows tensor 'bn', which is fused into node 'RELU', no data of its own",
        "RELU": "",
        "SAME": "shows tensor 'relu', no data of its own",
        "FLAT": "shows tensor 'relu', no data of its own",
        "SIGM": "",
        "TWO": JOINED,
        "MINUS": UNUSED,
        "Y": "",
        "NOBODY": UNUSED,
        "INPUT": "shows an input, no data of its own",
        "Z": "",
    }


def test_folded_nodes_are_constants() -> None:
    nodes = [node("Neg", "w", "minus"), node("Conv", "x minus", "y")]
    assert fates_of(make_model(nodes, {"x": [1, 2, 3, 3]}, weights={"w": random_array(4, 2, 1, 1)})) == {
        "MINUS": CONSTANT,
        "Y": "",
    }


@settings(max_examples=examples(8, 30))
@given(conv_nets())
def test_what_is_in_no_buffer_has_a_reason(model: onnx.ModelProto) -> None:
    held = {
        buffer.tensor for program in compile_in_memory(model, Arch()).programs.values() for buffer in program.buffers
    }
    absent = fates_of(model)
    for proto in model.graph.node:
        assert bool(absent[proto.name]) == (proto.output[0] not in held), proto.name


def test_circles_end() -> None:
    provenance = Provenance()
    provenance.fused("a", "b")
    provenance.fused("b", "a")
    provenance.view("c", "c")
    assert len(provenance.origins([("n", ("a", "b", "c"))])) == 3
