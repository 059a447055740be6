"""Cuts a surveyed model into parts that run one after the other: programs of cores and groups of host nodes in turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto, helper

from compiler.frontend.body import used_names
from compiler.frontend.impossible import why_no_value
from compiler.frontend.nodes.element_types import element_type
from compiler.segments.survey import Survey, Surveyed
from compiler.segments.value_types import of_machine, tensor_of, type_of
from compiler.segments.work import together, work_of
from emu.errors import CompileError
from emu.image.manifest import Work
from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a network as a model of its own; `inputs` are what a run gives it, `names` those of its nodes."""

    model: ModelProto
    on_host: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    names: tuple[str, ...]
    kinds: tuple[str, ...]  # their operators
    work: Work


def cut(surveyed: Survey) -> list[Part]:
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
    return [
        _part(surveyed, groups[stage], bool(stage % 2), constant if stage == min(groups) else [], groups, stage)
        for stage in sorted(groups)
    ]


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


def _stages(surveyed: Survey) -> list[int]:
    made: dict[str, int] = {}
    stages: list[int] = []
    for node in surveyed.nodes:
        earliest = max((made.get(name, 0) for name in used_names(node.proto)), default=0)
        stage = earliest + (earliest % 2 != bool(node.refusal))
        made.update((name, stage) for name in node.proto.output if name)
        stages.append(stage)
    return stages


def _part(
    surveyed: Survey,
    nodes: Sequence[Surveyed],
    on_host: bool,
    constant: Sequence[str],
    groups: Mapping[int, Sequence[Surveyed]],
    stage: int,
) -> Part:
    scope = surveyed.scope
    made = {name for node in nodes for name in node.proto.output if name}
    used = list(dict.fromkeys(name for node in nodes for name in sorted(used_names(node.proto))))
    inputs = [name for name in used if name not in made and name not in scope.constants]
    later = {name for other, group in groups.items() if other > stage for n in group for name in used_names(n.proto)}
    wanted = later | {value.name for value in surveyed.loaded.proto.graph.output}
    outputs = [name for node in nodes for name in node.proto.output if name in wanted]
    protos = [_named(node.proto, node.name) for node in nodes]
    arrays = {name: scope.array(name) for name in used if name in scope.constants}
    for name in constant:  # a value that nothing computes still is an output
        arrays[f"{name}/constant"] = scope.array(name)
        protos.append(helper.make_node("Identity", [f"{name}/constant"], [name], name=f"{name}/constant"))
        arrays.pop(name, None)
    outputs += constant
    graph = helper.make_graph(
        protos,
        surveyed.loaded.proto.graph.name or "model",
        [_info(name, surveyed) for name in inputs],
        [_info(name, surveyed) for name in outputs],
        [tensor_of(array, name) for name, array in arrays.items()],
    )
    proto = surveyed.loaded.proto
    model = helper.make_model(graph, opset_imports=proto.opset_import, ir_version=proto.ir_version)
    names, kinds = tuple(node.name for node in nodes), tuple(node.proto.op_type for node in nodes)
    return Part(model, on_host, tuple(inputs), tuple(outputs), names, kinds, _work(surveyed, nodes))


def _named(proto: NodeProto, name: str) -> NodeProto:
    copy = NodeProto()
    copy.CopyFrom(proto)
    copy.name = name
    return copy


def _info(name: str, surveyed: Survey) -> ValueInfoProto:
    kind = type_of(name, surveyed.scope, surveyed.others)
    return helper.make_value_info(name, kind if kind is not None else TypeProto())


def _work(surveyed: Survey, nodes: Iterable[Surveyed]) -> Work:
    def known(name: str) -> tuple[tuple[int, ...], DType] | None:
        return of_machine(type_of(name, surveyed.scope, surveyed.others))

    def shape(name: str) -> tuple[int, ...] | None:
        return surveyed.scope.shape(name) if name in surveyed.scope else (known(name) or (None,))[0]

    def nbytes(name: str) -> int:
        kind = known(name)
        return prod(kind[0]) * kind[1].size if kind else 0

    return together([work_of(node.proto, shape, nbytes) for node in nodes])
