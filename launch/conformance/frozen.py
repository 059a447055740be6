"""Which inputs of operators a compiled program has as constants: the table, and models with their values in them.

Cases of a single node have no initialisers: all that the operator takes is an input of the graph. What the machine
must know before a run is frozen: given to the compiler as an initialiser. Nothing else is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, numpy_helper

from compiler.frontend.definitions import STANDARD_DOMAINS

_REDUCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")

# Operator -> places of the inputs that stand in crossbars: weights, and what belongs to them: their bias, and the
# scales and zero points of the product, by which integers stand for numbers.
WEIGHTS: Mapping[str, tuple[int, ...]] = {
    "Conv": (1, 2),
    "ConvInteger": (1, 2, 3),
    "ConvTranspose": (1, 2),
    "GRU": (1, 2, 3),
    "Gemm": (1,),
    "LSTM": (1, 2, 3, 7),
    "MatMul": (1,),
    "MatMulInteger": (1, 2, 3),
    "QLinearConv": (1, 2, 3, 4, 5, 6, 7, 8),
    "QLinearMatMul": (1, 2, 3, 4, 5, 6, 7),
    "RNN": (1, 2, 3),
}
# Operator -> places of the inputs that say what shape something has, or where it is taken from: axes, sizes, counts,
# and the switch of Dropout between training and inference.
SHAPES: Mapping[str, tuple[int, ...]] = {
    "AffineGrid": (1,),
    "BlackmanWindow": (0,),
    "CenterCropPad": (1,),
    "Col2Im": (1, 2),
    "ConstantOfShape": (0,),
    "CumProd": (1,),
    "CumSum": (1,),
    "DFT": (1, 2),
    "Dropout": (2,),
    "Expand": (1,),
    "HammingWindow": (0,),
    "HannWindow": (0,),
    "MaxUnpool": (2,),
    "OneHot": (1,),
    "Pad": (1, 3),
    "Range": (0, 1, 2),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "STFT": (1, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "SplitToSequence": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "TopK": (1,),
    "Trilu": (1,),
    "Unsqueeze": (1,),
    "Upsample": (1,),
    **{f"Reduce{name}": (1,) for name in _REDUCTIONS},
}
FROZEN: Mapping[str, tuple[int, ...]] = {**WEIGHTS, **SHAPES}


def graph_inputs(graph: GraphProto) -> tuple[str, ...]:
    """The names of the inputs that have no initialiser, in order: old files list initialisers as inputs, too."""
    stored = {tensor.name for tensor in graph.initializer}
    stored |= {tensor.values.name for tensor in graph.sparse_initializer}
    return tuple(value.name for value in graph.input if value.name not in stored)


def frozen_inputs(graph: GraphProto) -> tuple[str, ...]:
    """The inputs of `graph` that a node takes in a place of the table, in the order of the graph."""
    taken = {name for node in graph.node for name in _operands(node, FROZEN)}
    return tuple(name for name in graph_inputs(graph) if name in taken)


def weight_inputs(graph: GraphProto) -> frozenset[str]:
    """The inputs of `graph` that a node takes in a place of weights: crossbars hold those that are frozen."""
    return frozenset(name for node in graph.node for name in _operands(node, WEIGHTS))


def freeze(model: ModelProto, values: Mapping[str, np.ndarray]) -> ModelProto:
    """A copy of `model` in which the inputs of these names are initialisers with these values.

    They stay listed as inputs, as older versions of ONNX want it.
    """
    copy = ModelProto()
    copy.CopyFrom(model)
    copy.graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in values.items())
    return copy


def _operands(node: NodeProto, table: Mapping[str, tuple[int, ...]]) -> list[str]:
    places = table.get(node.op_type, ()) if node.domain in STANDARD_DOMAINS else ()
    return [node.input[place] for place in places if place < len(node.input) and node.input[place]]


# Their results depend on the shape of their inputs, which is known, and on no value.
VALUELESS = frozenset(("EyeLike", "RandomNormalLike", "RandomUniformLike", "Shape", "Size"))


def constant_outputs(graph: GraphProto, frozen: Collection[str] = ()) -> tuple[str, ...]:
    """The outputs of `graph` that depend on no value of an input, those of the names in `frozen` aside."""
    moving = {name for name in graph_inputs(graph) if name not in frozen}
    for node in graph.node:
        if node.op_type not in VALUELESS and not moving.isdisjoint(_used(node)):
            moving.update(filter(None, node.output))
    return tuple(value.name for value in graph.output if value.name not in moving)


def _used(node: NodeProto) -> Iterator[str]:
    """The names that a node, and the graphs in its attributes, refer to."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _used(inner)
            yield from (value.name for value in graph.output)
