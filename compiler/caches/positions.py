"""Static values at every position that there is room for, evaluated by onnxruntime in one session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import onnx
from onnx import NodeProto, helper

from compiler.basis.limits import MAX_FOLDING_WORK
from compiler.basis.weights import Array
from compiler.caches.lengths import CacheRoom
from compiler.caches.survey import ValueSurvey
from compiler.evaluation.products import unsigned_products
from compiler.frontend.body import needed_nodes
from compiler.frontend.foldable import SHAPE_OPERATORS
from compiler.frontend.folding import IR_VERSION, evaluable_opset, fold_shape, quiet_options
from compiler.frontend.graph_checks import first_line, node_label
from emu.errors import CompileError, option


def at_every_position(survey: ValueSurvey, names: Sequence[str], room: CacheRoom) -> Iterator[list[Array]]:
    """The values called `names`, which depend on the position, at position 0, 1, ... of `room`.

    Raises CompileError if the network cannot be evaluated at one of them, as where it has too few positions.
    """
    import onnxruntime

    nodes = [node for node in needed_nodes(survey.nodes, set(names)) if not survey.dependent.isdisjoint(node.output)]
    shapes = [node for node in nodes if _is_of_run(node, survey)]
    computed = [node for node in nodes if not _is_of_run(node, survey)]
    made = {name for node in computed for name in node.output}
    given = {name for node in computed for name in node.input if name and name not in made}
    constant = {name: survey.static[name][0] for name in given if name not in survey.dependent}
    asked = [name for name in names if name in made]
    _check_work(survey, nodes, room)
    label = f"{survey.model.where}: its values that depend on how full the caches are, such as '{names[0]}',"
    session = None
    try:
        if computed:
            model = _model(computed, given, asked, survey)
            session = onnxruntime.InferenceSession(model, quiet_options(), providers=["CPUExecutionProvider"])
        for position in room.positions:
            fed = {node.output[0]: _shape_at(node, survey, position) for node in shapes}
            feeds = {name: fed.get(name, constant.get(name)) for name in given}
            found = dict(zip(asked, session.run(asked, feeds), strict=True)) if session else {}
            yield [np.asarray(found[name] if name in found else fed[name]) for name in names]
    except CompileError:
        raise
    except Exception as error:  # onnxruntime raises untyped exceptions
        raise CompileError(f"{label} cannot be evaluated: {first_line(error)}") from error


def _check_work(survey: ValueSurvey, nodes: Sequence[NodeProto], room: CacheRoom) -> None:
    """Refuse what would take too long to evaluate at all positions."""
    made = [survey.static[name][0].size for node in nodes for name in node.output if name in survey.static]
    if sum(made) * len(room.positions) > MAX_FOLDING_WORK:
        raise CompileError(
            f"{survey.model.where}: its values that depend on how full the caches are have {sum(made)} elements at"
            f" each of {len(room.positions)} positions, too many to evaluate: try a smaller {option('max_length')}"
        )


def _is_of_run(node: NodeProto, survey: ValueSurvey) -> bool:
    """Whether a node tells the shape of a value that is not static."""
    return node.op_type in SHAPE_OPERATORS and node.input[0] not in survey.static


def _shape_at(node: NodeProto, survey: ValueSurvey, position: int) -> Array:
    return fold_shape(node, tuple(length.at(position) for length in survey.dims[node.input[0]]))[0]


def _model(nodes: Sequence[NodeProto], given: Iterable[str], asked: Iterable[str], survey: ValueSurvey) -> bytes:
    """A model of the nodes, with inputs of any shape."""
    inputs = [helper.make_tensor_value_info(name, survey.kinds[name], None) for name in sorted(given)]
    outputs = [helper.make_empty_tensor_value_info(name) for name in asked]
    graph = helper.make_graph([_copy(node) for node in nodes], "positions", inputs, outputs)
    opset = min(evaluable_opset(node, survey.opset) for node in nodes)
    late = [node for node in nodes if evaluable_opset(node, survey.opset) > opset]
    if late:
        raise CompileError(
            f"{survey.model.where}: node '{node_label(late[0])}' ({late[0].op_type}) is of operator set {survey.opset},"
            " which nobody can evaluate yet: export the model with an older one"
        )
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)
    return unsigned_products(model)[0].SerializeToString()


def _copy(node: NodeProto) -> onnx.NodeProto:
    return NodeProto.FromString(node.SerializeToString())
