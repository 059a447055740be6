"""Imports an ONNX model as a module of the `onnx` dialect; its weights go to the context's weight store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NoReturn

from onnx import GraphProto, ModelProto, NodeProto
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from compiler.basis.blame import about
from compiler.dialects.onnx_op import NAME_ATTRIBUTE
from compiler.dialects.types import dtype_of
from compiler.frontend.body import used_names
from compiler.frontend.folding import Folder
from compiler.frontend.front_end import ImportedModel, TensorInfo
from compiler.frontend.graph_checks import check_graph, first_line, live_nodes, opset_of
from compiler.frontend.graph_reader import GraphReader
from compiler.frontend.input_shapes import InputType, infer_shapes, input_types
from compiler.frontend.integer_pairs import with_integer_products
from compiler.frontend.model import LoadedModel, load_model, where_of
from compiler.frontend.nodes.node import Node
from compiler.frontend.nodes.scope import Scope, Shape, shape_of
from compiler.frontend.operators import OPERATORS
from compiler.session.context import CompilerContext
from compiler.session.provenance import UNUSED, Provenance
from emu.errors import CompileError

# A model, tokens that its caches are to hold, and given shapes -> what to import instead, and its states.
Rewrite = Callable[[LoadedModel, int | None, Mapping[str, Shape]], tuple[LoadedModel, Mapping[str, str]]]


def import_model(
    model: Path | ModelProto,
    context: CompilerContext,
    shapes: Mapping[str, Shape] | None = None,
    rewrite: Rewrite | None = None,
) -> ImportedModel:
    """Import `model` with static `shapes` for its dynamic inputs; raises CompileError with one sentence.

    `rewrite` is done with the model before anything else.

    Values have any element type of the machine; constants of other types may occur where they are folded away.
    Weights stay views into the file until a pass changes them.
    """
    try:
        return _import(model, context, shapes or {}, rewrite)
    except VerifyException as error:  # an attribute beyond what the dialect can hold
        raise CompileError(f"{where_of(model)} is beyond what the compiler can hold: {first_line(error)}") from error
    except CompileError as error:  # names in a file may hold any letter, also line breaks and terminal escapes
        text = "".join(letter if letter.isprintable() else "?" for letter in str(error))
        raise CompileError(text, error.node) from error


def _import(
    model: Path | ModelProto, context: CompilerContext, shapes: Mapping[str, Shape], rewrite: Rewrite | None
) -> ImportedModel:
    loaded, states = load_model(model), dict[str, str]()
    if rewrite is not None:
        loaded, states = rewrite(loaded, context.options.max_length, shapes)
    loaded = with_integer_products(loaded)
    check_graph(loaded, OPERATORS)
    inputs = input_types(loaded, shapes, context.warn)
    block = Block()
    scope = graph_scope(loaded, inputs, context, block)
    names = unique_names(loaded.proto.graph.node)
    nodes = _read_nodes(loaded, scope, names, context.provenance)
    _check_shapes(loaded.proto.graph, nodes, scope, infer_shapes(loaded, inputs, scope.constants))
    outputs = {value.name: scope.named(value.name) for value in loaded.proto.graph.output}
    name = loaded.proto.graph.name or (model.stem if isinstance(model, Path) else "model")
    return ImportedModel(
        network_module(block, inputs, outputs),
        name,
        loaded.sha256,
        loaded.where,
        tuple(TensorInfo(name, *kind) for name, kind in inputs.items()),
        tuple(TensorInfo(name, shape_of(value), dtype_of(value)) for name, value in outputs.items()),
        tuple((name, tuple(filter(None, made))) for made, name in names.items()),
        {names[tuple(node.output)]: node.op_type for node in loaded.proto.graph.node},
        states,
    )


def graph_scope(loaded: LoadedModel, inputs: Mapping[str, InputType], context: CompilerContext, block: Block) -> Scope:
    """The values that a graph begins with: its inputs as arguments of `block`, and its constants."""
    scope = Scope(context, block, opset_of(loaded.proto, loaded.where), loaded.where)
    for index, (name, kind) in enumerate(inputs.items()):
        scope.define(name, block.insert_arg(scope.tensor_type(*kind), index))
    for name, array in loaded.arrays.items():
        scope.define(name, array)
    return scope


def network_module(block: Block, inputs: Iterable[str], outputs: Mapping[str, SSAValue]) -> ModuleOp:
    """The module whose @main has `block` as its body."""
    block.add_op(ReturnOp(*outputs.values()))
    kind = FunctionType.from_lists([arg.type for arg in block.args], [value.type for value in outputs.values()])
    main = FuncOp("main", kind, Region(block), arg_attrs=_name_attributes(inputs), res_attrs=_name_attributes(outputs))
    module = ModuleOp([main])
    module.verify()
    return module


def _read_nodes(
    loaded: LoadedModel, scope: Scope, names: Mapping[tuple[str, ...], str], provenance: Provenance
) -> list[Node]:
    """Read each node that an output depends on, in order; returns those that are not constant."""
    graph = loaded.proto.graph
    nodes = live_nodes(graph)
    live = {tuple(proto.output) for proto in nodes}
    for name in (name for made in names if made not in live for name in made):
        provenance.lost(name, UNUSED)
    used = {value.name for value in graph.output}.union(*map(used_names, nodes))
    taken = {*loaded.arrays, *loaded.inputs, *names.values()}.union(*names)
    folder = Folder(scope.where, sum(array.nbytes for array in loaded.arrays.values()))
    reader = GraphReader(scope, folder, provenance, taken, used)
    for proto in nodes:
        with about(names[tuple(proto.output)]):
            reader.read(proto, names[tuple(proto.output)])
    computed = [proto for proto in nodes if scope.constants.keys().isdisjoint(proto.output)]
    return [Node.of(proto, names[tuple(proto.output)], loaded.where) for proto in computed]


def unique_names(nodes: Iterable[NodeProto]) -> dict[tuple[str, ...], str]:
    """Outputs -> name of each node: its own, or "OpType_index", numbered when that is taken."""
    taken: set[str] = set()
    serials: Counter[str] = Counter()
    names: dict[tuple[str, ...], str] = {}
    for index, node in enumerate(nodes):
        base = name = node.name or f"{node.op_type}_{index}"
        while name in taken:
            serials[base] += 1
            name = f"{base}.{serials[base]}"
        taken.add(name)
        names[tuple(node.output)] = name
    return names


def _check_shapes(graph: GraphProto, nodes: Iterable[Node], scope: Scope, inferred: Mapping[str, Shape]) -> None:
    """Refuse a node whose shape by our import is not the one that ONNX infers, where both are known.

    In ceil mode ONNX may infer one more window, in the padding alone, which its specification (MaxPool, ceil_mode) and
    onnxruntime drop: what it infers for the nodes that use such a result means nothing.
    """
    imported, doubtful = {node.outputs: node for node in nodes}, set[str]()
    for proto in live_nodes(graph):
        node = imported.get(tuple(proto.output))
        if not doubtful.isdisjoint(filter(None, proto.input)):
            doubtful.update(proto.output)
            continue
        for name in node.outputs if node is not None else ():
            ours, theirs = scope.shape(name) if name in scope else None, inferred.get(name)
            if node is None or ours is None or theirs in (None, ours):
                continue
            if not node.integer("ceil_mode", 0):
                refuse_shape(node, ours, theirs or ())
            doubtful.update(proto.output)


def refuse_shape(node: Node, ours: Shape, theirs: Shape) -> NoReturn:
    """Refuse a node whose output has another shape than ONNX says."""
    node.refuse(f"has output shape {list(ours)} by its attributes, but ONNX infers {list(theirs)}")


def _name_attributes(names: Iterable[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({NAME_ATTRIBUTE: StringAttr(name)}) for name in names])
