"""What is refused before anything is imported: bad versions, undefined values, unsupported operators, invalid nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import onnx
from onnx import GraphProto, ModelProto, NodeProto

from compiler.basis.limits import MAX_FOLDED_NODES
from compiler.frontend.body import needed_nodes
from compiler.frontend.control_flow import CONTROL
from compiler.frontend.definitions import STANDARD_DOMAINS, has_definition
from compiler.frontend.foldable import SHAPE_OPERATORS, is_foldable
from compiler.frontend.impossible import WHY_NOT, impossible
from compiler.frontend.model import LoadedModel
from emu.errors import CompileError, option

OPSETS = (1, onnx.defs.onnx_opset_version())  # newer ones are not known
MICROSOFT = "com.microsoft"  # the domain of what onnxruntime's quantiser writes, of which these are read
MICROSOFT_OPERATORS = frozenset(
    (
        *("DynamicQuantizeMatMul", "MatMulIntegerToFloat", "QAttention", "QGemm", "QLinearAdd", "QLinearAveragePool"),
        *("QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu", "QLinearMul", "QLinearSigmoid"),
        *("QLinearSoftmax", "QLinearWhere"),
    )
)
ML = "ai.onnx.ml"  # the domain of scikit-learn's models
ML_OPERATORS = frozenset(("ArrayFeatureExtractor", "LinearClassifier", "LinearRegressor", "Normalizer", "Scaler"))
_DOMAINS = {**dict.fromkeys(MICROSOFT_OPERATORS, (MICROSOFT,)), **dict.fromkeys(ML_OPERATORS, (ML,))}


def check_graph(model: LoadedModel, supported: Iterable[str]) -> None:
    """Raise CompileError, of one sentence, for a model that the importer cannot take, whatever its shapes.

    `supported` are the names of the operators that there are import functions for.
    """
    opset_of(model.proto, model.where)
    _check_defined(model)
    _check_operators(model, set(supported))
    _check_valid(model)


def check_sound(model: LoadedModel) -> None:
    """Raise CompileError, of one sentence, for a model that nobody could run, whatever operators they support."""
    opset_of(model.proto, model.where)
    _check_defined(model)
    _check_valid(model)


def _check_valid(model: LoadedModel) -> None:
    """Refuse what ONNX's own checker refuses."""
    try:
        onnx.checker.check_model(_with_shapes(model.proto))
    except onnx.checker.ValidationError as error:
        raise CompileError(f"{model.where} is not valid ONNX: {first_line(error)}") from error


def _with_shapes(proto: ModelProto) -> ModelProto:
    """A copy whose inputs and outputs all have a shape: the checker insists, although exporters leave some out."""
    copy = ModelProto()
    copy.CopyFrom(proto)
    for value in (*copy.graph.input, *copy.graph.output):
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.shape.SetInParent()
    return copy


def opset_of(proto: ModelProto, where: str) -> int:
    """The version of the standard operator set; raises CompileError if it is none of `OPSETS`."""
    versions = [entry.version for entry in proto.opset_import if entry.domain in STANDARD_DOMAINS]
    version = max(versions, default=1)
    if not OPSETS[0] <= version <= OPSETS[1]:
        raise CompileError(
            f"{where} uses operator set {version}; supported are {OPSETS[0]} to {OPSETS[1]}: "
            "convert it with onnx.version_converter or export it again"
        )
    return version


def live_nodes(graph: GraphProto) -> list[NodeProto]:
    """The nodes that the outputs depend on, in order."""
    return needed_nodes(graph.node, {value.name for value in graph.output})


def node_label(node: NodeProto) -> str:
    """How a node is called in errors: its name, or the name of its output."""
    return node.name or (node.output[0] if node.output else "nameless")


def first_line(error: Exception) -> str:
    """The first non-empty line of an error's text: the libraries add whole stack traces."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _check_defined(model: LoadedModel) -> None:
    """Refuse a value that is used, but is no input, no initialiser and no earlier node's output."""
    graph = model.proto.graph
    defined = {*model.arrays, *model.inputs}
    for node in graph.node:
        for name in node.input:
            if name and name not in defined:
                raise CompileError(
                    f"{model.where}: node '{node_label(node)}' ({node.op_type}) uses '{name}', which is neither an "
                    "initialiser, nor an input, nor the output of an earlier node: export the model again"
                )
        defined.update(node.output)
    for value in graph.output:
        if value.name not in defined:
            raise CompileError(f"{model.where}: output '{value.name}' is computed by no node: export the model again")


def _check_operators(model: LoadedModel, supported: set[str]) -> None:
    """Refuse operators that are not supported, all of them in one sentence, and too many nodes to fold.

    What an operator stands for that ONNX defines by others, or a branch, is known when it is read, and so is whether
    it is constant.
    """
    constants, unsupported, evaluated = set(model.arrays), defaultdict[str, list[str]](list), 0
    possible = set(constants)  # and those that may turn out to be constant
    opset = opset_of(model.proto, model.where)
    for node in live_nodes(model.proto.graph):
        if is_foldable(node, constants):
            constants.update(node.output)
            possible.update(node.output)
            evaluated += node.op_type not in (*SHAPE_OPERATORS, "Constant")
        elif is_foldable(node, possible):
            possible.update(node.output)
        elif node.op_type in supported and is_of_its_domain(node):
            continue
        elif node.op_type in WHY_NOT and node.domain in STANDARD_DOMAINS:
            raise impossible(model.where, node, node_label(node))
        elif has_definition(node, opset) or (node.op_type in CONTROL and node.domain in STANDARD_DOMAINS):
            possible.update(node.output)
        else:
            unsupported[kind_of(node)].append(node_label(node))
    if evaluated > MAX_FOLDED_NODES:
        raise CompileError(
            f"{model.where} has {evaluated} nodes whose inputs are all constant, more than the {MAX_FOLDED_NODES} that "
            "are evaluated at compile time: simplify the model first"
        )
    if unsupported:
        listed = ", ".join(f"{kind} ({_some(nodes)})" for kind, nodes in sorted(unsupported.items()))
        raise CompileError(
            f"{model.where} has unsupported operators: {listed}; docs/operators.md lists those that are supported, and "
            f"{option('host_fallback', True)} leaves others to the host"
        )


def is_of_its_domain(node: NodeProto) -> bool:
    """Whether the operator of that name that we know is of the domain of `node`: others may be called alike."""
    return node.domain in _DOMAINS.get(node.op_type, STANDARD_DOMAINS)


def kind_of(node: NodeProto) -> str:
    """How its operator is called in errors: with its domain unless that is the standard's."""
    return node.op_type if node.domain in STANDARD_DOMAINS else f"{node.domain}.{node.op_type}"


def _some(nodes: list[str], limit: int = 5) -> str:
    more = f" and {len(nodes) - limit} more" if len(nodes) > limit else ""
    return ", ".join(f"'{name}'" for name in nodes[:limit]) + more
