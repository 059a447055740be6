"""Reads a model of which the compiler refuses some nodes: operations for cores, and which nodes are for the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from onnx import NodeProto, TypeProto
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from compiler.dialects.onnx import ConstantOp
from compiler.frontend.body import used_names
from compiler.frontend.definitions import STANDARD_DOMAINS
from compiler.frontend.folding import Folder
from compiler.frontend.graph_checks import check_sound, first_line, is_foldable, live_nodes
from compiler.frontend.graph_reader import GraphReader
from compiler.frontend.importer import graph_scope, refuse_shape, unique_names
from compiler.frontend.impossible import RANDOM, impossible
from compiler.frontend.input_shapes import InputType, input_types
from compiler.frontend.integer_pairs import with_integer_products
from compiler.frontend.model import LoadedModel
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape
from compiler.host_parts.probing import probed_types
from compiler.host_parts.value_types import Types, graph_types, node_types, of_machine, type_of
from compiler.session.context import CompilerContext
from emu.errors import CompileError

Outputs = tuple[str, ...]  # names of what a node makes


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A node that an output depends on and that is not constant; `refusal` is why no core does it, or empty.

    `ops` are what cores do for it. It `stands_for` nodes of the file: for itself, or for those that a product of
    integers was written as.
    """

    proto: NodeProto
    name: str  # unique
    refusal: str
    ops: tuple[Operation, ...]
    stands_for: tuple[NodeProto, ...]


@dataclass(frozen=True, slots=True)
class NodeSurvey:
    """A model of which every node is known to be for cores or for the host.

    `scope` has the constants and the values that cores can hold, as arguments of a block if they are inputs or the host
    makes them; `others` are types of further values. `context` has the weights, the warnings, and fates of tensors.
    """

    loaded: LoadedModel
    context: CompilerContext
    inputs: Mapping[str, InputType]
    nodes: tuple[Surveyed, ...]
    scope: Scope
    others: Mapping[str, TypeProto]
    labels: Mapping[Outputs, str]  # names of the nodes of the file
    declared: Types  # of values of the file, as far as they are known

    @property
    def refused(self) -> bool:
        """Whether a node is for the host."""
        return any(node.refusal for node in self.nodes)


def survey(
    loaded: LoadedModel, context: CompilerContext, shapes: Mapping[str, Shape], refused: Mapping[str, str]
) -> NodeSurvey:
    """Survey a model, of which the nodes `refused`, by name, are known to be for the host; raises CompileError.

    It is refused for inputs that the machine does not have, for what nobody could run, and for random numbers.
    """
    check_sound(loaded)
    original, loaded = loaded, with_integer_products(loaded)
    inputs = input_types(loaded, shapes, context.warn, weights=True)
    block = Block()
    scope = graph_scope(loaded, inputs, context, block)
    return _Surveyor(original, loaded, scope, block, context, inputs).survey(refused)


class _Surveyor:
    def __init__(
        self,
        original: LoadedModel,
        loaded: LoadedModel,
        scope: Scope,
        block: Block,
        context: CompilerContext,
        inputs: Mapping[str, InputType],
    ) -> None:
        graph = loaded.proto.graph
        self._loaded, self._scope, self._block, self._inputs = loaded, scope, block, inputs
        self._original, self._context = original, context
        self._protos, self._names = live_nodes(graph), unique_names(graph.node)
        used = {value.name for value in graph.output}.union(*map(used_names, self._protos))
        taken = {*loaded.arrays, *loaded.inputs, *self._names.values()}.union(*self._names)
        folder = Folder(scope.where, sum(array.nbytes for array in loaded.arrays.values()))
        self._reader = GraphReader(scope, folder, context.provenance, taken, used)
        self._known = graph_types(original.proto, inputs)  # has all values of the file
        self._others: dict[str, TypeProto] = {}  # of values that no core can hold

    def survey(self, refused: Mapping[str, str]) -> NodeSurvey:
        nodes: list[Surveyed] = []
        labels = unique_names(self._original.proto.graph.node)
        stands_for = _stands_for(self._original, self._protos)
        for proto in self._protos:
            name = self._names[tuple(proto.output)]
            before = self._block.last_op
            refusal = refused.get(name) or self._refusal(proto, name)
            ops = self._made_after(before)
            if refusal:
                ops = _undone(ops)
                self._on_host(proto, name)
            if refusal or not all(output in self._scope.constants for output in proto.output if output):
                nodes.append(Surveyed(proto, name, refusal, ops, tuple(stands_for[tuple(proto.output)])))
        return NodeSurvey(
            self._loaded, self._context, self._inputs, tuple(nodes), self._scope, self._others, labels, self._known
        )

    def _made_after(self, last: Operation | None) -> tuple[Operation, ...]:
        """The operations behind `last`; constants belong to whoever takes them."""
        op, made = (self._block.first_op if last is None else last.next_op), list[Operation]()
        while op is not None:
            if not isinstance(op, ConstantOp):
                made.append(op)
            op = op.next_op
        return tuple(made)

    def _refusal(self, proto: NodeProto, name: str) -> str:
        """Why the compiler does not take a node; empty if it does."""
        strange = sorted(used for used in used_names(proto) if used not in self._scope)
        if strange:
            return f"takes '{strange[0]}', which no core can hold"
        try:
            self._reader.read(proto, name)
            self._check_shapes(Node.of(proto, name, self._scope.where), self._inferred(proto))
        except CompileError as error:
            return str(error)
        except VerifyException as error:
            return first_line(error)
        return ""

    def _on_host(self, proto: NodeProto, name: str) -> None:
        """Bind the outputs of a node that the host computes; those of types that cores lack are for the host alone."""
        if proto.op_type in RANDOM:
            where = self._scope.where
            raise impossible(where, proto, name)
        types = [self._inferred(proto), self._known]
        if proto.domain not in STANDARD_DOMAINS:  # of these ONNX infers little
            types.insert(0, self._probed(proto))
        for output in filter(None, proto.output):
            self._scope.forget(output)
            kinds = [kind for source in types if (kind := source.get(output)) is not None]
            fits = next(filter(None, map(of_machine, kinds)), None)
            if fits is not None:
                argument = self._block.insert_arg(self._scope.tensor_type(*fits), len(self._block.args))
                self._scope.define(output, argument)
            else:
                self._others[output] = kinds[0] if kinds else TypeProto()

    def _check_shapes(self, node: Node, inferred: Types) -> None:
        """Refuse a node of which ONNX infers another shape than it has here; `ceil_mode` as in the importer."""
        for name in filter(None, node.outputs):
            theirs = of_machine(inferred.get(name))
            ours = self._scope.shape(name) if name in self._scope else None
            if ours is not None and theirs and theirs[0] != ours and not node.integer("ceil_mode", 0):
                refuse_shape(node, ours, theirs[0])

    def _inferred(self, proto: NodeProto) -> Types:
        """What ONNX infers of a node's outputs from the types of its inputs."""
        opset = next((entry.version for entry in self._loaded.proto.opset_import if entry.domain == proto.domain), 1)
        opset = self._scope.opset if proto.domain in STANDARD_DOMAINS else opset
        return node_types(proto, opset, lambda value: type_of(value, self._scope, self._others), self._scope)

    def _probed(self, proto: NodeProto) -> Mapping[str, TypeProto]:
        names = set(filter(None, proto.input))
        kinds = {name: kind for name in names if (kind := type_of(name, self._scope, self._others)) is not None}
        if len(kinds) < len(names):
            return {}
        constants = {name: self._scope.array(name) for name in names if name in self._scope.constants}
        return probed_types(proto, list(self._loaded.proto.opset_import), kinds, constants)


def _undone(ops: Sequence[Operation]) -> tuple[Operation, ...]:
    """Nothing, in the place of what was made before the refusal."""
    for op in reversed(ops):
        op.detach()
        op.erase()
    return ()


def _stands_for(original: LoadedModel, protos: Sequence[NodeProto]) -> Mapping[Outputs, list[NodeProto]]:
    """By outputs of a node in use: the nodes of the file that it does the work of, in order."""
    constants, originals = set(original.arrays), list[NodeProto]()
    for proto in live_nodes(original.proto.graph):
        if is_foldable(proto, constants):
            constants.update(proto.output)
        else:
            originals.append(proto)
    owners = {name: tuple(proto.output) for proto in protos for name in proto.output if name}
    found: dict[Outputs, list[NodeProto]] = {tuple(proto.output): [] for proto in protos}
    for proto in reversed(originals):
        owner = next((owners[name] for name in proto.output if name in owners), None)
        if owner is None:  # what it makes has turned out to be constant
            continue
        found[owner].insert(0, proto)
        for name in used_names(proto):
            owners.setdefault(name, owner)
    return found
