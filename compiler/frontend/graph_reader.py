"""Reads nodes into a scope: each is folded, imported, or replaced by the nodes that it stands for."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import NoReturn

from onnx import NodeProto, TypeProto, helper
from xdsl.ir import SSAValue

from compiler.basis.limits import MAX_FOLDED_NODES, MAX_NODES
from compiler.basis.weights import Array
from compiler.dialects.types import dtype_of
from compiler.frontend.body import FunctionBody, used_names
from compiler.frontend.control_flow import CONTROL
from compiler.frontend.definitions import STANDARD_DOMAINS, definition
from compiler.frontend.foldable import SHAPE_OPERATORS, is_foldable
from compiler.frontend.folded_views import view_of
from compiler.frontend.folding import Folder, fold_shape
from compiler.frontend.graph_checks import is_of_its_domain, kind_of
from compiler.frontend.impossible import WHY_NOT, impossible
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope
from compiler.frontend.old_forms import MODERN, modern_nodes
from compiler.frontend.operators import OPERATORS
from compiler.session.provenance import CONSTANT, UNUSED, Provenance
from emu.errors import CompileError


class GraphReader:
    """Defines the outputs of nodes in `scope`, and notes in `provenance` which of them no core will hold.

    A node is imported if there is a function for its operator; if not, it is replaced by the nodes by which ONNX
    defines it, by the branch that a constant chooses, or by the turns of a loop. `names` are taken, for nodes and
    values; `used` are the values that somebody needs.
    """

    def __init__(
        self, scope: Scope, folder: Folder, provenance: Provenance, names: Iterable[str], used: Iterable[str]
    ) -> None:
        self.scope = scope
        self._folder, self._provenance = folder, provenance
        self._taken, self._used = set(names), set(used)
        scope.used = self._used
        self._made, self._folded = 0, 0  # nodes that do not stand in the file, and those of them that were folded

    def read(self, proto: NodeProto, name: str) -> None:
        """Define the outputs of `proto`, which is called `name`; raises CompileError for what is not supported."""
        if is_foldable(proto, self.scope.constants) and not self._is_old(proto):
            inputs = [self.scope.constants.get(name) for name in proto.input]
            for output, array in zip(filter(None, proto.output), self._fold(proto), strict=True):
                self.scope.define(output, array, view_of(proto, inputs, array))
                self._provenance.lost(output, CONSTANT)
        elif not is_of_its_domain(proto):  # another operator than ours of this name
            self._refuse(proto, name)
        elif self._is_old(proto):
            modern = modern_nodes(proto, self.scope, self.fresh)
            with self._opset(MODERN):
                for node in modern:
                    self.read(node, name)
        elif proto.op_type in OPERATORS and proto.op_type not in CONTROL:
            self._import(Node.of(proto, name, self.scope.where))
        else:
            self._replace(proto, name)

    def read_body(self, body: FunctionBody, name: str) -> None:
        """Define the outputs of `body`, whose nodes are called `name`/..."""
        nodes = body.placed(lambda inner: self.fresh(f"{name}/{inner}"))
        self._used.update(*map(used_names, nodes), (outer for _, outer in body.outputs))
        self._made += len(nodes) + 1
        if self._made > MAX_NODES:
            raise CompileError(
                f"{self.scope.where}: node '{name}' makes more than {MAX_NODES} nodes of the network, which is too many"
            )
        with self._opset(body.opset):
            for node in nodes:
                self.read(node, self.fresh(f"{name}/{node.name or node.op_type}"))

    def fresh(self, name: str) -> str:
        """A name like this one that nothing has."""
        unique, serial = name, 0
        while unique in self._taken:
            serial += 1
            unique = f"{name}.{serial}"
        self._taken.add(unique)
        return unique

    def _is_old(self, proto: NodeProto) -> bool:
        return self.scope.opset < MODERN and proto.op_type not in CONTROL

    @contextmanager
    def _opset(self, version: int) -> Generator[None]:
        """While the nodes that are read are of another operator set."""
        before, self.scope.opset = self.scope.opset, version
        try:
            yield
        finally:
            self.scope.opset = before

    def _fold(self, proto: NodeProto) -> Sequence[Array]:
        if proto.op_type in SHAPE_OPERATORS:
            return fold_shape(proto, self.scope.shape(proto.input[0]))
        self._folded += self._made > 0 and proto.op_type != "Constant"
        if self._folded > MAX_FOLDED_NODES:
            raise CompileError(
                f"{self.scope.where}: more than {MAX_FOLDED_NODES} nodes of loops, branches and definitions have "
                "constant inputs only: simplify the model first"
            )
        inputs = [self.scope.array(name) if name else None for name in proto.input]
        return self._folder.fold(proto, inputs, self.scope.opset)

    def _import(self, node: Node) -> None:
        results = OPERATORS[node.kind](node, self.scope)
        if isinstance(results, SSAValue):
            self._check_only_output(node)
            results = (results,)
        for name, value in zip_longest(node.outputs, results):
            if value is None:
                self._provenance.lost(name, UNUSED)
            elif name:
                self.scope.define(name, value)

    def _check_only_output(self, node: Node) -> None:
        """Refuse a node whose import makes one result if a further output (mask, indices) is used."""
        extra = [name for name in node.outputs[1:] if name and name in self._used]
        if extra:
            node.refuse(f"has a second output '{extra[0]}' that is used, which is not supported")

    def _replace(self, proto: NodeProto, name: str) -> None:
        """Read the nodes that `proto` stands for; what is refused of them is told of it."""
        where = self.scope.where
        if proto.op_type in CONTROL:
            CONTROL[proto.op_type](proto, name, self)
            return
        if proto.op_type in WHY_NOT and proto.domain in STANDARD_DOMAINS:
            raise impossible(where, proto, name)
        body = definition(proto, self.scope.opset, [self._type(operand) for operand in proto.input])
        if body is None:
            self._refuse(proto, name)
        try:
            self.read_body(body, name)
        except CompileError as error:
            reason = str(error).removeprefix(f"{where}: ")
            raise CompileError(
                f"{where}: node '{name}' ({proto.op_type}) is done as ONNX defines it, by other nodes: {reason}",
                name,
            ) from error

    def _refuse(self, proto: NodeProto, name: str) -> NoReturn:
        where = self.scope.where
        raise CompileError(f"{where}: node '{name}' ({kind_of(proto)}) is of an operator that is not supported")

    def _type(self, name: str) -> TypeProto:
        """The type of a value; empty if its name is."""
        if not name:
            return TypeProto()
        constant = self.scope.constants.get(name)
        dtype = dtype_of(self.scope.named(name)).numpy if constant is None else constant.dtype
        return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), self.scope.shape(name))
