"""Which cases of the suite are run: by kind, operator, name, target set, and a seeded sample of them.

The target set are cases of networks that people compile for crossbars: all operators of such a case are of one of the
families below, and its graph computes tensors of static shape and of these element types, for inference, without
control flow. Cases in which the suite has replaced an operator by its definition say the same thing twice, and are left
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from random import Random

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from compiler.frontend.definitions import STANDARD_DOMAINS
from compiler.frontend.foldable import GRAPH_ATTRIBUTES
from emu.errors import InputError, option
from emu.wording import nearest
from launch.conformance.cases import OnnxCase
from launch.conformance.trial import DataSet

TYPES = frozenset(getattr(TensorProto, name) for name in ("FLOAT", "INT64", "INT32", "BOOL", "INT8", "UINT8"))
FAMILIES: Mapping[str, str] = {
    "products": "Conv ConvTranspose Gemm MatMul Einsum Attention",
    "quantised": "ConvInteger MatMulInteger QLinearConv QLinearMatMul QuantizeLinear DequantizeLinear "
    "DynamicQuantizeLinear",
    "recurrent": "LSTM GRU RNN",
    "pooling": "MaxPool AveragePool GlobalAveragePool GlobalMaxPool",
    "normalisation": "BatchNormalization InstanceNormalization GroupNormalization LayerNormalization "
    "RMSNormalization LRN Softmax LogSoftmax",
    "activations": "Relu LeakyRelu PRelu Clip Elu Sigmoid HardSigmoid HardSwish Swish SwiGLU Mish Softplus Tanh Gelu",
    "arithmetic": "Add Sub Mul Div Sum Max Min Pow Sqrt Reciprocal Neg Abs Exp Log Erf Sin Cos RotaryEmbedding",
    "comparisons": "Equal Less LessOrEqual Greater GreaterOrEqual And Or Not Where",
    "reductions": "ReduceMean ReduceSum ReduceMax ReduceMin ReduceL2 ReduceSumSquare ArgMax TopK CumSum",
    "shapes": "Concat Split Slice Reshape Flatten Transpose Squeeze Unsqueeze Pad Expand Tile DepthToSpace "
    "SpaceToDepth Trilu Shape Size",
    "resampling": "Resize Upsample",
    "gathers": "Gather GatherElements GatherND ScatterND",
    "constants": "Constant ConstantOfShape Range Cast Identity Dropout",
}
OPERATORS = frozenset(name for names in FAMILIES.values() for name in names.split())
_TRAINING = "training_mode"  # of BatchNormalization
_DROPOUT_TRAINING = 2  # the input of Dropout that says the same


def why_not(name: str, model: ModelProto, data: list[DataSet]) -> str:
    """Why a case is no part of the target set, in some words; empty if it is."""
    graph = model.graph
    if "_expanded" in name:
        return "an operator replaced by its definition"
    foreign = sorted({_kind(node) for node in graph.node} - OPERATORS)
    if foreign:
        return f"operator {foreign[0]}"
    if any(attribute.type in GRAPH_ATTRIBUTES for node in graph.node for attribute in node.attribute):
        return "control flow"
    if _trains(graph, data):
        return "training"
    return next(filter(None, map(_fault, (*graph.input, *graph.output))), "")


def _kind(node: NodeProto) -> str:
    return node.op_type if node.domain in STANDARD_DOMAINS else f"{node.domain}.{node.op_type}"


def _fault(value: ValueInfoProto) -> str:
    """Why an input or output is none of the target set; empty if it is."""
    if value.type.WhichOneof("value") != "tensor_type":
        return f"'{value.name}' is no tensor"
    kind = value.type.tensor_type
    if kind.elem_type not in TYPES:
        return f"'{value.name}' is of type {helper.tensor_dtype_to_string(kind.elem_type).rpartition('.')[2]}"
    if not all(dim.HasField("dim_value") for dim in kind.shape.dim):
        return f"'{value.name}' has a dynamic shape"
    return ""


def _trains(graph: GraphProto, data: list[DataSet]) -> bool:
    return any(attribute.name == _TRAINING and attribute.i for attribute in _attributes(graph)) or any(
        bool(value.any()) for node in graph.node if node.op_type == "Dropout" for value in _switches(node, graph, data)
    )


def _attributes(graph: GraphProto) -> Iterator[AttributeProto]:
    return (attribute for node in graph.node for attribute in node.attribute)


def _switches(node: NodeProto, graph: GraphProto, data: list[DataSet]):
    """The values that the suite gives the training switch of a Dropout node."""
    names = [value.name for value in graph.input]
    for name in node.input[_DROPOUT_TRAINING : _DROPOUT_TRAINING + 1]:
        if name in names:
            yield from (inputs[names.index(name)] for inputs, _ in data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """`op` an operator that a case has, `case` a pattern of its name, `all` whether the target set is no bound."""

    op: str = ""
    case: str = ""
    all: bool = False
    sample: int | None = None
    seed: int = 0

    def of(self, cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        """The cases that are meant, in order; raises InputError if there is none."""
        meant = self._named(cases)
        if not self.all:
            meant = self._targets(meant)
        if self.sample is None or self.sample >= len(meant):
            return meant
        drawn = set(Random(self.seed).sample(range(len(meant)), self.sample))
        return [case for place, case in enumerate(meant) if place in drawn]

    def _named(self, cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        meant = [case for case in cases if not self.op or self.op in case.operators]
        if not meant:
            known = {operator for case in cases for operator in case.operators}
            raise InputError(f"{option('op', self.op)}: no case has this operator{nearest(self.op, known)}")
        named = [case for case in meant if not self.case or fnmatchcase(case.name, self.case)]
        if not named:
            names = [case.name for case in meant]
            raise InputError(f"{option('case', self.case)}: no case has such a name{nearest(self.case, names)}")
        return named

    @staticmethod
    def _targets(cases: Sequence[OnnxCase]) -> list[OnnxCase]:
        reasons = {case.name: why_not(case.name, case.model, case.data) for case in cases}
        found = [case for case in cases if case.missing or not reasons[case.name]]
        if not found:
            name, reason = next(iter(reasons.items()))
            raise InputError(f"no such case is of the target set ({name}: {reason}): add {option('all', True)}")
        return found
