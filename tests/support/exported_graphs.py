"""Graphs as exporters write them, and decoders of such graphs: how to run them with caches that grow."""

from dataclasses import dataclass, field

import numpy as np
from in_process import golden
from onnx import TensorProto, helper, numpy_helper

HEADS, WIDTH, VOCABULARY, MOST = 2, 4, 11, 24  # MOST: positions of tables and mask buffers
SIZE = HEADS * WIDTH
LOWEST = float(np.finfo(np.float32).min)


class Graph:
    """Collects nodes under names as exporters give them; arrays become initialisers."""

    def __init__(self, seed=0):
        self.nodes, self.arrays, self.inputs, self.outputs = [], [], [], []
        self.rng = np.random.default_rng(seed)

    def __call__(self, operator, *operands, outputs=1, to=None, **attributes):
        names = [self.array(value) if isinstance(value, np.ndarray | list | float | int) else value
                 for value in operands]  # fmt: skip
        made = to if isinstance(to, list) else [to or f"/{operator}_{len(self.nodes)}_{k}" for k in range(outputs)]
        attributes |= {"to": attributes.pop("kind")} if "kind" in attributes else {}
        self.nodes.append(helper.make_node(operator, names, made, f"/{operator}_{len(self.nodes)}", **attributes))
        return made if len(made) > 1 else made[0]

    def array(self, value):
        array = np.asarray(value, np.float32) if isinstance(value, float) else np.asarray(value)
        self.arrays.append(numpy_helper.from_array(array, f"onnx::{len(self.arrays)}"))
        return self.arrays[-1].name

    def weight(self, *shape, scale=0.5):
        return (scale * self.rng.standard_normal(shape)).astype(np.float32)

    def input(self, name, kind, shape):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name, kind, shape):
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def size(self, x, axis):
        """One size of a tensor, a scalar, as exporters compute it."""
        return self("Gather", self("Shape", x), axis, axis=0)

    def list(self, *sizes):
        """Sizes, numbers among them, as one list."""
        return self("Concat", *(self("Unsqueeze", s, [0]) if isinstance(s, str) else [s] for s in sizes), axis=0)

    def linear(self, x, size=SIZE, inner=SIZE):
        return self("Add", self("MatMul", x, self.weight(inner, size)), self.weight(size, scale=0.1))

    def heads(self, x, count=HEADS, width=WIDTH):
        """[batch, tokens, count * width] to [batch, count, tokens, width]."""
        shape = self.list(self.size(x, 0), self.size(x, 1), count, width)
        return self("Transpose", self("Reshape", x, shape), perm=[0, 2, 1, 3])

    def together(self, x, size=SIZE):
        """[batch, heads, tokens, width] to [batch, tokens, heads * width]."""
        back = self("Transpose", x, perm=[0, 2, 1, 3])
        return self("Reshape", back, self.list(self.size(back, 0), self.size(back, 1), size))

    def norm(self, x):
        centred = self("Sub", x, self("ReduceMean", x, axes=[-1]))
        variance = self("ReduceMean", self("Pow", centred, 2.0), axes=[-1])
        return self("Mul", self("Div", centred, self("Sqrt", self("Add", variance, 1e-5))), self.weight(SIZE))

    def model(self, opset=17):
        graph = helper.make_graph(self.nodes, "main_graph", self.inputs, self.outputs, self.arrays)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


@dataclass
class Decoder:
    """`states` are pairs of cache and output, `shapes` those of the other inputs, `first` empty caches.

    `masks` are the inputs that grow, with a function of (full array, total) to what the growing model takes.
    """

    model: object
    states: dict
    shapes: dict
    first: dict
    feed: object  # (rng, step) -> inputs of a step but masks
    masks: dict = field(default_factory=dict)  # name: (rng, capacity, step, tokens) -> array with room
    tokens: int = 1

    def feeds(self, steps, room, seed=0):
        """Inputs of all steps: as the growing model takes them, and with room; what is behind the end is rubbish."""
        rng = np.random.default_rng(seed)
        for step in range(steps):
            plain = self.feed(rng, step)
            full = {name: make(rng, room, step, self.tokens) for name, make in self.masks.items()}
            total = self.tokens * (step + 1)
            yield plain | {name: array[..., :total] for name, array in full.items()}, plain | full


def grown(decoder, feeds):
    """Outputs of all steps of the model as it is, by onnxruntime."""
    caches = decoder.first
    for feed in feeds:
        outputs = golden(decoder.model, feed | caches)
        caches = {name: outputs[made] for name, made in decoder.states.items()}
        yield outputs


def caches(graph, layers, batch, heads=HEADS, past="past_sequence_length", total="total_sequence_length"):
    """Inputs and outputs for keys and values of each layer; returns the states and empty caches."""
    states, first = {}, {}
    for layer in range(layers):
        for part in ("key", "value"):
            name, made = f"past_key_values.{layer}.{part}", f"present.{layer}.{part}"
            graph.input(name, TensorProto.FLOAT, ["batch_size", heads, past, WIDTH])
            graph.output(made, TensorProto.FLOAT, ["batch_size", heads, total, WIDTH])
            states[name], first[name] = made, np.zeros((batch, heads, 0, WIDTH), np.float32)
    return states, first


def ids_of(batch, tokens):
    return lambda rng, _: {"input_ids": rng.integers(0, VOCABULARY, (batch, tokens))}


def bits(rng, room, step, tokens, batch=1):
    """A mask that always lets the first token through; behind the end stands whatever."""
    mask = (rng.random((batch, room)) < 0.8).astype(np.int64)
    mask[:, 0] = 1
    mask[:, tokens * (step + 1) :] = rng.integers(-9, 9, (batch, room - tokens * (step + 1)))
    return mask
