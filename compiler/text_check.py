"""Checks operations of a text one by one, so that an error names the line and what is allowed there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NoReturn

from xdsl.dialects.builtin import DenseArrayBase, MemRefType, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrSizedOperandSegments, IRDLOperation, OptPropertyDef, VerificationContext
from xdsl.utils.exceptions import VerifyException

from compiler.basis.limits import MAX_DIMENSION
from compiler.basis.suggest import suggestion
from compiler.dialects import attributes as attr
from compiler.dialects import onnx, pim, spat
from compiler.dialects.onnx_op import NAME_ATTRIBUTE, OnnxOp
from compiler.dialects.types import ELEMENTS, dtype_of
from compiler.dialects.weight_keys import weight_keys
from compiler.kernels.kernel import Kernel
from compiler.kernels.product import multiplied_by
from compiler.session.context import CompilerContext
from compiler.session.refusal import label
from emu.errors import CompileError
from emu.program.form import covered

# What stands in a module, if one of it stands anywhere in it.
MEMBERS: tuple[tuple[type[Operation], ...], ...] = (
    (pim.TensorOp, pim.CoreOp),
    (spat.InputOp, spat.LayerOp, spat.JoinOp, spat.ComputeOp, spat.OutputOp),
)


def check_operations(module: ModuleOp, context: CompilerContext) -> None:
    """Raise CompileError, which names the line, unless every operation is as its dialect says."""
    for op in module.walk():
        if isinstance(op, IRDLOperation):
            _check_names(op, context)
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            reason = str(error).removeprefix("Operation does not verify: ")
            _refuse(op, context, f"{_culprit(op)}{' '.join(reason.split())}")
    for op in module.walk():
        for block in (block for region in op.regions for block in region.blocks if not block.ops):
            try:
                block.verify()  # which looks at the operations in it, and is about blocks without any
            except VerifyException as error:
                _refuse(op, context, " ".join(str(error).split()))
    _check_order(module, frozenset(), context)
    _check_members(module, context)
    nodes = [op for op in module.walk() if isinstance(op, OnnxOp)]
    if nodes:
        from compiler.frontend.operation_check import check_operation  # with onnx, which takes long

        _check_main(module, nodes, context)
        for op in nodes:
            check_operation(op, context.line_of(op).removesuffix(": "))


def check_made(entry: str, module: ModuleOp, context: CompilerContext) -> None:
    """Raise CompileError, which names the pass `entry` of the user's, unless what it made could be read as a text."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            raise CompileError(f"after pass {entry}, {label(op)} is wrong: {' '.join(str(error).split())}") from error
    try:
        check_operations(module, context)
        if all(key in context.weights or not context.weights.is_known(key) for _, _, key in weight_keys(module)):
            check_weights(module, context)  # unless a text was read without its own
    except CompileError as error:
        raise CompileError(f"after pass {entry}: {error}") from error


def _check_members(module: ModuleOp, context: CompilerContext) -> None:
    """Raise CompileError for what stands in no module of its stage, and for inputs that do not make up tensors."""
    ops, inputs = list(module.ops), dict[str, list[spat.InputOp]]()
    for kinds in (kind for kind in MEMBERS if any(isinstance(op, kind) for op in module.walk())):
        for op in module.ops:
            if not isinstance(op, kinds):
                _refuse(op, context, f"does not belong in a module with a {ops[0].name}")
        for op in module.walk():
            for value in (*op.results, *(argument for region in op.regions for argument in region.block.args)):
                if not _is_tensor(value.type):
                    _refuse(op, context, f"has a value that is no static tensor of the machine's types: {value.type}")
    for op in module.ops:
        if isinstance(op, spat.LayerOp) and isinstance(op, spat.ProductOp) == (multiplied_by(op) is None):
            why = spat.MUST_MULTIPLY if isinstance(op, spat.ProductOp) else "multiplies, so it is a spat.product"
            _refuse(op, context, why)
        if isinstance(op, spat.InputOp):
            inputs.setdefault(op.tensor.data, []).append(op)
    for parts in inputs.values():
        kinds = {(op.form.data, op.tile.type.element_type) for op in parts}
        boxes = [box for op in parts for box in op.boxes.data]
        if len(kinds) > 1 or not covered(boxes, parts[0].form.data.sizes, once=True):
            _refuse(parts[-1], context, "must cover the tensor once, with all others of its name")


def _check_main(module: ModuleOp, nodes: Sequence[OnnxOp], context: CompilerContext) -> None:
    """Raise CompileError unless the module is one function of `nodes` whose inputs and outputs have names."""
    main = module.body.block.first_op
    if not isinstance(main, FuncOp) or main.next_op is not None or len(main.body.blocks) != 1:
        raise CompileError("a network must be one func.func with one block, and nothing beside it")
    for op in main.body.block.ops:
        if not isinstance(op, OnnxOp | ReturnOp):
            _refuse(op, context, "does not belong in a network")
    if not isinstance(main.body.block.last_op, ReturnOp):
        _refuse(main, context, "does not end with a func.return")
    for value in main.body.block.args:
        if not _is_tensor(value.type):
            _refuse(main, context, f"has an input that is no static tensor of the machine's types: {value.type}")
    kinds = main.function_type
    for what, attributes, count in (("input", main.arg_attrs, kinds.inputs), ("output", main.res_attrs, kinds.outputs)):
        names = [entry.data.get(NAME_ATTRIBUTE) for entry in attributes or ()]
        given = [name for name in names if name is not None]
        if len(names) not in (0, len(count)) or len(set(given)) != len(given):
            _refuse(main, context, f"must have one name for each {what}, all different")


def _is_tensor(kind: Attribute) -> bool:
    """Whether it is a static tensor of an element type that the machine has."""
    if not isinstance(kind, TensorType | MemRefType):
        return False
    sizes = kind.get_shape()
    possible = all(0 <= size <= 2 * MAX_DIMENSION for size in sizes)  # padding makes a tensor larger
    return possible and kind.element_type in ELEMENTS.values()


def _check_order(parent: Operation, defined: frozenset[SSAValue], context: CompilerContext) -> None:
    """Raise CompileError for a value that is used before the operation that makes it, or in another region."""
    for block in (block for region in parent.regions for block in region.blocks):
        known = {*defined, *block.args}
        for op in block.ops:
            if any(value not in known for value in op.operands):
                _refuse(op, context, "uses a value that no operation before it makes")
            if op.regions:
                _check_order(op, frozenset(known), context)
            known.update(op.results)


def check_weights(module: ModuleOp, context: CompilerContext) -> None:
    """Raise CompileError for a key that the text's weights do not have, or for arrays that do not fit."""
    for op, name, key in weight_keys(module):
        if key not in context.weights:
            known = suggestion(key, context.weights)
            _refuse(op, context, f'{name} = "{key}" names no weights of this text{known}')
        if isinstance(op, onnx.ConstantOp | pim.ConstantOp):
            array, (value,) = context.weights.get(key), op.results
            shape = attr.shape_of(value)
            fits = array.shape == shape or (isinstance(op, pim.ConstantOp) and array.size == prod(shape))  # only bytes
            if not fits or array.dtype != dtype_of(value).numpy:
                _refuse(
                    op, context, f"is a {value.type}, but the weights {key} are {list(array.shape)} of {array.dtype}"
                )
    for op in module.walk():
        if isinstance(op, Kernel):
            try:
                op.verify_arrays(context.weights)
                op.verify_extras(context.weights)
            except VerifyException as error:
                _refuse(op, context, str(error))


def _check_names(op: IRDLOperation, context: CompilerContext) -> None:
    """Names of properties: those that there are, and all that must be there."""
    known = op.get_irdl_definition().properties
    missing = [
        name for name, kind in known.items() if name not in op.properties and not isinstance(kind, OptPropertyDef)
    ]
    for name, value in op.properties.items():
        if name not in known and name not in _segments(op):
            _refuse(op, context, f"has no property '{name}'{suggestion(name, missing or known)}")
        if name in known and isinstance(value, DenseArrayBase) and value.elt_type != i64:
            _refuse(op, context, f"property '{name}': must be an array<i64>, not {value}")
    if missing:
        _refuse(op, context, f"lacks its property '{missing[0]}'")


def _segments(op: IRDLOperation) -> Iterator[str]:
    """Properties that xDSL itself adds."""
    options = op.get_irdl_definition().options
    return (option.attribute_name for option in options if isinstance(option, AttrSizedOperandSegments))


def _culprit(op: Operation) -> str:
    """`property 'core': ` if it is that property whose value does not fit."""
    if not isinstance(op, IRDLOperation):
        return ""
    for name, kind in op.get_irdl_definition().properties.items():
        if name in op.properties:
            try:
                kind.constr.verify(op.properties[name], VerificationContext())
            except VerifyException:
                return f"property '{name}': "
    return ""


def _refuse(op: Operation, context: CompilerContext, reason: str) -> NoReturn:
    name = label(op) if isinstance(op, OnnxOp) else op.name
    raise CompileError(f"{context.line_of(op)}{name} {reason}")
