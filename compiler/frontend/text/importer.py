"""Imports a text as a module of the `onnx` dialect; its constants go to the context's weight store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr, TensorType, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from compiler.dialects.linalg.form_parts import element
from compiler.dialects.onnx import IdentityOp
from compiler.dialects.onnx_op import NAME_ATTRIBUTE, OnnxOp
from compiler.dialects.types import dtype_of
from compiler.frontend.front_end import ImportedModel, Shape, TensorInfo
from compiler.frontend.nodes.scope import LIMITS, Scope, is_possible, product, shape_of
from compiler.frontend.text.normalisations import join_normalisations
from compiler.frontend.text.parsing import TextModule, parse_text
from compiler.frontend.text.program import TextProgram, refuse_unknown
from compiler.frontend.text.reader import Empty, TextNode, TextReader
from compiler.frontend.text.scalars import machine_type
from compiler.frontend.text.signature import Signature, signature_of
from compiler.interpreter.host.run import tensor_interpreter
from compiler.session.context import CompilerContext
from compiler.session.provenance import UNUSED
from emu.errors import CompileError, option
from emu.files import map_file, shown
from emu.isa.dtypes import DType


def import_text(path: Path, context: CompilerContext, shapes: Mapping[str, Shape]) -> ImportedModel:
    """Import the text of a file with static `shapes` for its dynamic inputs; raises CompileError with one sentence."""
    data = map_file(path, CompileError)
    with ThreadPoolExecutor(1) as beside:  # large constants take as long as the rest of the text does
        digest = beside.submit(lambda: hashlib.sha256(data).hexdigest())
        text = parse_text(data, shown(path))
    signature = signature_of(text)
    inputs = _input_types(text, signature, shapes)
    block = Block()
    scope = Scope(context, block, 0, text.where)
    reader = TextReader(text, scope, tensor_interpreter(text.module, text.blobs), [*inputs, *signature.outputs])
    refuse_unknown(reader)
    arguments = signature.function.body.block.args
    for place, (argument, kind) in enumerate(zip(arguments, inputs.values(), strict=True)):
        reader.values[argument] = block.insert_arg(scope.tensor_type(*kind), place)
    last = signature.function.body.block.last_op
    assert last is not None
    outputs = dict(zip(last.operands, signature.outputs, strict=True))
    made = TextProgram(reader, outputs).run(signature.function.body.block)
    node = reader.node_of(last)
    values = dict[str, SSAValue]()
    for name, found, value in zip(signature.outputs, made, last.operands, strict=True):
        if isinstance(found, Empty):
            node.refuse(f"returns %{value.name_hint or '?'}, whose elements nobody has written")
        reader.refuse_unwritten(value, node)
        if element(value.type) == f64:
            node.refuse(f"returns %{value.name_hint or '?'} of f64, which cores do not have: truncate it to f32")
        values[name] = _output(reader, node, name, reader.tensor(value, node))
    module = _module(block, inputs, values)
    _remove_dead(module, context)
    join_normalisations(module, scope, context)
    _remove_dead(module, context)
    module.verify()
    return ImportedModel(
        module,
        signature.name or path.stem,
        digest.result(),
        text.where,
        tuple(TensorInfo(name, *kind) for name, kind in inputs.items()),
        tuple(TensorInfo(name, shape_of(value), dtype_of(value)) for name, value in values.items()),
        *_nodes(module, reader),
    )


def _input_types(text: TextModule, signature: Signature, shapes: Mapping[str, Shape]) -> dict[str, tuple[Shape, DType]]:
    """Shape and element type of each input; raises CompileError for what no input can be."""
    unknown = [name for name in shapes if name not in signature.inputs]
    if unknown:
        raise CompileError(
            f"{text.where} has no input '{unknown[0]}', of which {option('shapes')} speaks: its inputs are "
            f"{', '.join(signature.inputs) or 'none'}"
        )
    found, function = dict[str, tuple[Shape, DType]](), signature.function
    for name, argument in zip(signature.inputs, function.body.block.args, strict=True):
        kind = argument.type
        if not isinstance(kind, TensorType):
            raise text.refuse(function, f"has an argument %{name} of type {kind}: give tensors of a known rank")
        if str(kind.element_type) == "f64":
            raise text.refuse(function, f"has an argument %{name} of f64, which cores do not have: convert it to f32")
        try:
            dtype = machine_type(kind)
        except CompileError as error:
            raise text.refuse(function, f"has an argument %{name} that {error}") from None
        declared = tuple(kind.get_shape())
        shape = tuple(shapes.get(name, declared))
        if len(shape) != len(declared) or any(a >= 0 and a != b for a, b in zip(declared, shape, strict=True)):
            raise CompileError(f"{text.where}: input '{name}' is {kind}, which the shape {list(shape)} does not fit")
        if any(size < 0 for size in shape):
            example = {name: tuple(size if size >= 0 else 1 for size in shape)}
            raise CompileError(
                f"{text.where} has dynamic shapes: input '{name}' is {kind}; give its shape, such as"
                f" {option('shapes', example)}"
            )
        if not is_possible(shape):
            raise CompileError(f"{text.where}: input '{name}' has {product(shape)} elements: {LIMITS}")
        found[name] = shape, dtype
    return found


def _output(reader: TextReader, node: TextNode, name: str, value: SSAValue) -> SSAValue:
    """A value that is called as the output: itself, or a copy."""
    owner = value.owner
    if isinstance(owner, OnnxOp) and name in owner.tensor_names:
        return value
    named = TextNode(reader.fresh(f"return_{name}"), node.kind, (), (name,), node.where)
    reader.nodes[named.name] = named
    return reader.scope.emit(IdentityOp, named, [value], shape_of(value))


def _module(block: Block, inputs: Iterable[str], outputs: Mapping[str, SSAValue]) -> ModuleOp:
    block.add_op(ReturnOp(*outputs.values()))
    kind = FunctionType.from_lists([arg.type for arg in block.args], [value.type for value in outputs.values()])
    named = [ArrayAttr([DictionaryAttr({NAME_ATTRIBUTE: StringAttr(n)}) for n in names]) for names in (inputs, outputs)]
    return ModuleOp([FuncOp("main", kind, Region(block), arg_attrs=named[0], res_attrs=named[1])])


def _remove_dead(module: ModuleOp, context: CompilerContext) -> None:
    """Remove what no output depends on."""
    for op in reversed([op for op in module.walk() if isinstance(op, OnnxOp)]):
        if not any(list(result.uses) for result in op.results):
            for name in op.tensor_names:
                context.provenance.lost(name, UNUSED)
            op.detach()
            op.erase()


def _nodes(module: ModuleOp, reader: TextReader) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], dict[str, str]]:
    """Name and outputs of each node of which something is left, in order, and its operation in the text."""
    made = dict[str, list[str]]()
    for op in module.walk():
        if isinstance(op, OnnxOp) and op.node.data.partition("/")[0] in reader.nodes:
            names = made.setdefault(op.node.data.partition("/")[0], [])
            names += [name for name in op.tensor_names if "/" not in name]
    kinds = {name: reader.nodes[name].kind for name in made}
    return tuple((name, tuple(dict.fromkeys(tensors))) for name, tensors in made.items() if tensors), kinds
