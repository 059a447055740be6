"""Networks of one recurrent layer with random attributes, and the same network as onnxruntime takes it."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from in_process import golden
from onnx import TensorProto, helper, numpy_helper

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}  # activations per direction
PARAMETERS = {
    "Affine": "alpha beta",
    "LeakyRelu": "alpha",
    "ThresholdedRelu": "alpha",
    "ScaledTanh": "alpha beta",
    "HardSigmoid": "alpha beta",
    "Elu": "alpha",
}
ACTIVATIONS = ("Relu", "Tanh", "Sigmoid", "Softsign", "Softplus", *PARAMETERS)
STATES = ("initial_h", "initial_c")


@dataclass
class RecurrentNet:
    """A node with its operands by place, as arrays for layout 0; those of `runtime` are inputs of the network."""

    kind: str
    attributes: dict
    operands: dict[str, np.ndarray]
    runtime: set[str]
    outputs: list[str]
    names: dict[str, int] = field(default_factory=dict)

    def model(self, layout, opset=22):
        """The model; with layout 1 the batch comes first."""
        values = {name: self.turned(name, array, layout) for name, array in self.operands.items()}
        places = ("x", "w", "r", "b", "lengths", "initial_h", "initial_c", "p")
        given = [name if name in values else "" for name in places]
        while not given[-1]:
            given.pop()
        attributes = {**self.attributes, "layout": 1} if layout else self.attributes
        node = helper.make_node(self.kind, given, self.outputs, "cell", **attributes)
        inputs = [_info(name, values[name]) for name in given if name in self.runtime]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.outputs if name]
        stored = [numpy_helper.from_array(array, name) for name, array in values.items() if name not in self.runtime]
        graph = helper.make_graph([node], "recurrent", inputs, outputs, stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    @staticmethod
    def turned(name, array, layout):
        """An operand or a result as a layout has it."""
        if not layout:
            return array
        perm = {"x": (1, 0, 2), "y": (2, 0, 1, 3)}.get(name, (1, 0, 2) if name in (*STATES, "y_h", "y_c") else None)
        return array if perm is None else np.ascontiguousarray(array.transpose(perm))

    def sample(self, seed):
        """Values of the inputs of a network of layout 0."""
        rng = np.random.default_rng(seed)
        made = {}
        for name in sorted(self.runtime):
            array = self.operands[name]
            if name == "lengths":
                made[name] = rng.integers(1, self.operands["x"].shape[0] + 1, array.shape).astype(np.int32)
            else:
                made[name] = rng.standard_normal(array.shape).astype(np.float32)
        return made

    def golden(self, sample):
        """Outputs by name in layout 0, by onnxruntime, which knows no other.

        Its Softplus of recurrent layers overflows at 89, where that of the operator, and ours, do not.
        """
        made = golden(self.model(0, 14), sample)
        finite = all(np.isfinite(values).all() for values in made.values())
        assume(finite or "Softplus" not in self.attributes.get("activations", ()))
        return made


def _info(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def layer(kind, steps, outputs=("y", "y_h"), size=3, **attributes):
    """A network of one layer of `size`, with weights, for a batch of two."""
    rng = np.random.default_rng(1)
    directions = 1 + (attributes.get("direction") == "bidirectional")
    shapes = {
        "x": (steps, 2, 4),
        "w": (directions, GATES[kind] * size, 4),
        "r": (directions, GATES[kind] * size, size),
        "b": (directions, 2 * GATES[kind] * size),
    }
    operands = {name: (rng.standard_normal(shape) * 0.4).astype(np.float32) for name, shape in shapes.items()}
    return RecurrentNet(kind, attributes, operands, {"x"}, list(outputs))


def full_lstm():
    """An LSTM of both directions with all of its operands, of which only the inputs change from sample to sample."""
    rng = np.random.default_rng(1)
    shapes = {"x": (5, 2, 4), "w": (2, 12, 4), "r": (2, 12, 3), "b": (2, 24), "p": (2, 9)}
    shapes |= {"initial_h": (2, 2, 3), "initial_c": (2, 2, 3)}
    operands = {name: (rng.standard_normal(shape) * 0.4).astype(np.float32) for name, shape in shapes.items()}
    operands["lengths"] = np.array([3, 5], np.int32)
    attributes = {"direction": "bidirectional", "hidden_size": 3, "clip": 0.5}
    return RecurrentNet("LSTM", attributes, operands, {"x"}, ["y", "y_h", "y_c"])


@st.composite
def recurrent_nets(draw):
    """Any operator, direction, sizes, activations, optional operands constant or not, and outputs."""
    kind = draw(st.sampled_from(sorted(GATES)))
    direction = draw(st.sampled_from(["forward", "reverse", "bidirectional"]))
    time, batch, inputs, hidden = (draw(st.integers(1, most)) for most in (6, 3, 5, 6))
    directions, gates = 1 + (direction == "bidirectional"), GATES[kind]
    rng = np.random.default_rng(draw(st.integers(0, 99)))

    def numbers(*shape):
        return (rng.standard_normal(shape) * 0.4).astype(np.float32)

    operands = {
        "x": numbers(time, batch, inputs),
        "w": numbers(directions, gates * hidden, inputs),
        "r": numbers(directions, gates * hidden, hidden),
    }
    if draw(st.booleans()):
        operands["b"] = numbers(directions, 2 * gates * hidden)
    if draw(st.booleans()):
        operands["lengths"] = rng.integers(1, time + 1, batch).astype(np.int32)
    for name in STATES[: 1 + (kind == "LSTM")]:
        if draw(st.booleans()):
            operands[name] = numbers(directions, batch, hidden)
    if kind == "LSTM" and draw(st.booleans()):
        operands["p"] = numbers(directions, 3 * hidden)
    changing = [name for name in ("lengths", *STATES) if name in operands]
    runtime = {"x", *draw(st.sets(st.sampled_from(changing)) if changing else st.just(set()))}
    attributes = {"direction": direction, "hidden_size": hidden, **draw(_attributes(kind, directions))}
    outputs = ["y", "y_h", *(["y_c"] if kind == "LSTM" else [])]
    used = draw(st.sets(st.sampled_from(outputs), min_size=1))
    outputs = [name if name in used else "" for name in outputs]
    while not outputs[-1]:
        outputs.pop()
    return RecurrentNet(kind, attributes, operands, runtime, outputs)


@st.composite
def _attributes(draw, kind, directions):
    attributes = {}
    if draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(ACTIVATIONS), min_size=(n := FUNCTIONS[kind] * directions), max_size=n))
        more = ["Tanh"] if kind == "RNN" and directions == 1 and draw(st.booleans()) else []
        attributes["activations"] = names + more  # as the default of ONNX has one for a second direction
        for parameter in ("alpha", "beta"):
            count = sum(parameter in PARAMETERS.get(name, "").split() for name in names)
            if count:
                values = st.floats(0.125, 0.75, width=16)
                attributes[f"activation_{parameter}"] = draw(st.lists(values, min_size=count, max_size=count))
    if draw(st.booleans()):
        attributes["clip"] = draw(st.sampled_from([0.25, 0.5, 2.0]))
    if kind == "GRU" and draw(st.booleans()):
        attributes["linear_before_reset"] = 1
    if kind == "LSTM" and draw(st.booleans()):
        attributes["input_forget"] = 1
    return attributes
