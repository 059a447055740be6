"""Looks which nodes of a model the compiler refuses, one by one, as if the host did those before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from onnx import NodeProto, TypeProto
from xdsl.ir import Block
from xdsl.utils.exceptions import VerifyException

from compiler.frontend.body import used_names
from compiler.frontend.definitions import STANDARD_DOMAINS
from compiler.frontend.folding import Folder
from compiler.frontend.graph_checks import check_sound, first_line, live_nodes, opset_of
from compiler.frontend.graph_reader import GraphReader
from compiler.frontend.importer import unique_names
from compiler.frontend.impossible import RANDOM, impossible
from compiler.frontend.input_shapes import InputType, input_types
from compiler.frontend.model import LoadedModel
from compiler.frontend.nodes.scope import Scope, Shape
from compiler.segments.probing import probed_types
from compiler.segments.value_types import graph_types, node_types, of_machine, type_of
from compiler.session.context import CompilerContext
from emu.errors import CompileError


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A node that an output depends on and that is not constant; `refusal` is why no core does it, or empty."""

    proto: NodeProto
    name: str  # unique
    refusal: str


@dataclass(frozen=True, slots=True)
class Survey:
    """A model of which every node is known to be for cores or for the host.

    `scope` has the constants and the values that cores can hold, `others` types of further values.
    """

    loaded: LoadedModel
    inputs: Mapping[str, InputType]
    nodes: tuple[Surveyed, ...]
    scope: Scope
    others: Mapping[str, TypeProto]

    @property
    def refused(self) -> bool:
        """Whether a node is for the host."""
        return any(node.refusal for node in self.nodes)


def survey(
    loaded: LoadedModel, context: CompilerContext, shapes: Mapping[str, Shape], refused: Mapping[str, str]
) -> Survey:
    """Survey a model, of which the nodes `refused`, by name, are known to be for the host; raises CompileError.

    It is refused for inputs that the machine does not have, for what nobody could run, and for random numbers.
    `context` is used up.
    """
    check_sound(loaded)
    inputs = input_types(loaded, shapes, lambda text: None, weights=True)
    block = Block()
    scope = Scope(context, block, opset_of(loaded.proto, loaded.where), loaded.where)
    for index, (name, kind) in enumerate(inputs.items()):
        scope.define(name, block.insert_arg(scope.tensor_type(*kind), index))
    for name, array in loaded.arrays.items():
        scope.define(name, array)
    return _Surveyor(loaded, scope, block, context, inputs).survey(refused)


class _Surveyor:
    def __init__(
        self,
        loaded: LoadedModel,
        scope: Scope,
        block: Block,
        context: CompilerContext,
        inputs: Mapping[str, InputType],
    ) -> None:
        graph = loaded.proto.graph
        self._loaded, self._scope, self._block, self._inputs = loaded, scope, block, inputs
        self._protos, self._names = live_nodes(graph), unique_names(graph.node)
        used = {value.name for value in graph.output}.union(*map(used_names, self._protos))
        taken = {*loaded.arrays, *loaded.inputs, *self._names.values()}.union(*self._names)
        folder = Folder(scope.where, sum(array.nbytes for array in loaded.arrays.values()))
        self._reader = GraphReader(scope, folder, context.fates, taken, used)
        self._known = graph_types(loaded.proto, inputs)
        self._others: dict[str, TypeProto] = {}  # of values that no core can hold

    def survey(self, refused: Mapping[str, str]) -> Survey:
        nodes: list[Surveyed] = []
        for proto in self._protos:
            name = self._names[tuple(proto.output)]
            refusal = refused.get(name) or self._refusal(proto, name)
            if refusal:
                self._on_host(proto, name)
            if refusal or not all(output in self._scope.constants for output in proto.output if output):
                nodes.append(Surveyed(proto, name, refusal))
        return Survey(self._loaded, self._inputs, tuple(nodes), self._scope, self._others)

    def _refusal(self, proto: NodeProto, name: str) -> str:
        """Why the compiler does not take a node; empty if it does."""
        strange = sorted(used for used in used_names(proto) if used not in self._scope)
        if strange:
            return f"takes '{strange[0]}', which no core can hold"
        try:
            self._reader.read(proto, name)
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
        opset = next((entry.version for entry in self._loaded.proto.opset_import if entry.domain == proto.domain), 1)
        opset = self._scope.opset if proto.domain in STANDARD_DOMAINS else opset
        found = node_types(proto, opset, lambda value: type_of(value, self._scope, self._others), self._scope)
        types = [found, self._known]
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

    def _probed(self, proto: NodeProto) -> Mapping[str, TypeProto]:
        names = set(filter(None, proto.input))
        kinds = {name: kind for name in names if (kind := type_of(name, self._scope, self._others)) is not None}
        if len(kinds) < len(names):
            return {}
        constants = {name: self._scope.array(name) for name in names if name in self._scope.constants}
        return probed_types(proto, list(self._loaded.proto.opset_import), kinds, constants)
