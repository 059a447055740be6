"""Cuts a network that was read into parts that run one after the other: operations for cores and host nodes in turn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import prod

from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper
from xdsl.ir import Block, SSAValue

from compiler.dialects.onnx import ConstantOp
from compiler.dialects.types import dtype_of
from compiler.frontend.body import used_names
from compiler.frontend.front_end import ImportedModel, TensorInfo
from compiler.frontend.importer import network_module
from compiler.frontend.impossible import why_no_value
from compiler.frontend.nodes.element_types import element_type
from compiler.frontend.nodes.scope import shape_of
from compiler.host_parts.survey import NodeSurvey, Surveyed
from compiler.host_parts.value_types import of_machine, tensor_of, type_of
from compiler.host_parts.work import together, work_of
from emu.errors import CompileError
from emu.image.manifest import Work
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class NetworkPart:
    """A part of a network: operations for cores, or as a `model` nodes for the host.

    `inputs` are what a run gives it, `names` those of its nodes, `stands_for` the nodes of the file, by name and
    operator.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    names: tuple[str, ...]
    stands_for: tuple[tuple[str, str], ...]
    work: Work
    imported: ImportedModel | None = None
    model: ModelProto | None = None

    @property
    def on_host(self) -> bool:
        """Whether the host does it."""
        return self.model is not None


def cut(surveyed: NodeSurvey) -> list[NetworkPart]:
    """The parts in the order in which they run, as few as can be: nodes that need each other least stand together.

    Even stages are for cores, odd ones for the host; a node is of the first stage of its kind in which its inputs are
    there. So no part needs what a later one makes. Raises CompileError for an output that the machine does not have.
    """
    stages = _stages(surveyed)
    constant = [value.name for value in surveyed.loaded.proto.graph.output if value.name in surveyed.scope.constants]
    for value in surveyed.loaded.proto.graph.output:
        kind = type_of(value.name, surveyed.scope, surveyed.others)
        if of_machine(kind) is None:
            raise CompileError(f"{surveyed.loaded.where}: output '{value.name}' {_why_not(kind)}")
    groups: dict[int, list[Surveyed]] = {stage: [] for stage in ([0] if constant else [])}
    for node, stage in zip(surveyed.nodes, stages, strict=True):
        groups.setdefault(stage, []).append(node)
    wanted, parts = {value.name for value in surveyed.loaded.proto.graph.output}, list[NetworkPart]()
    for stage in sorted(groups, reverse=True):
        part = _part(surveyed, groups[stage], bool(stage % 2), constant if stage == min(groups) else [], wanted)
        wanted.update(part.inputs)
        parts.append(part)
    return parts[::-1]


def _why_not(kind: TypeProto | None) -> str:
    """Why a value cannot leave the machine, and what to do instead."""
    if kind is None or kind.WhichOneof("value") is None:
        return "is of a type that is known only when it runs, so it cannot leave the machine: end the model before it"
    if kind.tensor_type.elem_type == TensorProto.STRING:
        return "holds texts, which cannot leave the machine: export the model with integer labels, or end it before"
    if kind.WhichOneof("value") != "tensor_type" or element_type(kind.tensor_type.elem_type) is None:
        return f"{why_no_value(kind)}, or end the model before it"
    return (
        "has a shape that is known only when it runs, so it cannot leave the machine: give the shapes of all inputs as "
        "numbers, or end the model before it"
    )


def _stages(surveyed: NodeSurvey) -> list[int]:
    made: dict[str, int] = {}
    stages: list[int] = []
    for node in surveyed.nodes:
        earliest = max((made.get(name, 0) for name in used_names(node.proto)), default=0)
        stage = earliest + (earliest % 2 != bool(node.refusal))
        made.update((name, stage) for name in node.proto.output if name)
        stages.append(stage)
    return stages


def _part(
    surveyed: NodeSurvey, nodes: Sequence[Surveyed], on_host: bool, constant: Sequence[str], wanted: Collection[str]
) -> NetworkPart:
    """The part of these nodes: what is `wanted` leaves it, and constants that are outputs, which nothing computes."""
    made = {name for node in nodes for name in node.proto.output if name}
    used = list(dict.fromkeys(name for node in nodes for name in sorted(used_names(node.proto))))
    inputs = tuple(name for name in used if name not in made and name not in surveyed.scope.constants)
    outputs = (*(name for node in nodes for name in node.proto.output if name in wanted), *constant)
    stands_for = tuple((surveyed.labels[tuple(n.output)], n.op_type) for node in nodes for n in node.stands_for)
    names, work = tuple(node.name for node in nodes), _work(surveyed, nodes)
    part = NetworkPart(inputs, outputs, names, stands_for, work)
    if on_host:
        return replace(part, model=host_model(surveyed, nodes, inputs, outputs))
    return replace(part, imported=core_module(surveyed, nodes, inputs, outputs))


def core_module(
    surveyed: NodeSurvey, nodes: Sequence[Surveyed], inputs: Sequence[str], outputs: Sequence[str]
) -> ImportedModel:
    """The operations of `nodes` as a network of their own; constants come with whoever takes them."""
    block, scope = Block(), surveyed.scope
    values: dict[SSAValue, SSAValue] = {}
    for place, name in enumerate(inputs):
        value = scope.named(name)
        values.setdefault(value, block.insert_arg(value.type, place))

    def taken(value: SSAValue) -> SSAValue:
        if value not in values:
            assert isinstance(value.owner, ConstantOp)  # or `inputs` had it
            block.add_op(value.owner.clone(values))
        return values[value]

    for op in (op for node in nodes for op in node.ops):
        for operand in op.operands:
            taken(operand)
        block.add_op(op.clone(values))
    made = {name: taken(scope.named(name)) for name in outputs}
    return ImportedModel(
        network_module(block, inputs, made),
        surveyed.loaded.proto.graph.name or "model",
        surveyed.loaded.sha256,
        surveyed.loaded.where,
        tuple(_info(name, scope.named(name)) for name in inputs),
        tuple(_info(name, value) for name, value in made.items()),
        (
            *((node.name, tuple(filter(None, node.proto.output))) for node in nodes),
            *((f"{name}/constant", (name,)) for name in outputs if name in scope.constants),
        ),
        {node.name: node.proto.op_type for node in nodes},
    )


def host_model(
    surveyed: NodeSurvey, nodes: Sequence[Surveyed], inputs: Sequence[str], outputs: Sequence[str]
) -> ModelProto:
    """The nodes as a model that an evaluator of ONNX computes."""
    scope, proto = surveyed.scope, surveyed.loaded.proto
    constants = dict.fromkeys(
        name for node in nodes for name in sorted(used_names(node.proto)) if name in scope.constants
    )
    graph = helper.make_graph(
        [_named(node.proto, node.name) for node in nodes],
        proto.graph.name or "model",
        [_value_info(name, surveyed) for name in inputs],
        [_value_info(name, surveyed) for name in outputs],
        [tensor_of(scope.array(name), name) for name in constants],
    )
    return helper.make_model(graph, opset_imports=proto.opset_import, ir_version=proto.ir_version)


def _info(name: str, value: SSAValue) -> TensorInfo:
    return TensorInfo(name, shape_of(value), dtype_of(value))


def _named(proto: NodeProto, name: str) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(proto)
    copy.name = name
    return copy


def _value_info(name: str, surveyed: NodeSurvey) -> ValueInfoProto:
    kind = type_of(name, surveyed.scope, surveyed.others)
    return helper.make_value_info(name, kind if kind is not None else TypeProto())


def _work(surveyed: NodeSurvey, nodes: Iterable[Surveyed]) -> Work:
    def known(name: str) -> tuple[tuple[int, ...], DType] | None:
        return of_machine(type_of(name, surveyed.scope, surveyed.others) or surveyed.declared.get(name))

    def shape(name: str) -> tuple[int, ...] | None:
        return surveyed.scope.shape(name) if name in surveyed.scope else (known(name) or (None,))[0]

    def nbytes(name: str) -> int:
        kind = known(name)
        return prod(kind[0]) * kind[1].size if kind else 0

    return together([work_of(proto, shape, nbytes) for node in nodes for proto in node.stands_for])
