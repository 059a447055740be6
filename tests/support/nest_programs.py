"""Programs of one nest, built without a model, and what NumPy says that a nest makes."""

import itertools

import numpy as np
from in_process import Compiled, padded
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region

from compiler.basis.options import CompileOptions
from compiler.codegen.generate import generate, global_size, tensors
from compiler.dialects import attributes as attr
from compiler.dialects.nest import GenericOp
from compiler.dialects.nest_attributes import nest_properties
from compiler.dialects.onnx import ConstantOp, ReshapeOp, TransposeOp
from compiler.nests.functions import COMBINES
from compiler.passes import PIPELINE, run_pipeline
from compiler.session.context import make_context
from emu.isa.dtypes import DType
from emu.program.validate import validate_program


def module_of(nest, operands, result, weights):
    """A network of one nest.

    `operands` are (array, "input"), (array, "constant"), or (array, perm): an input whose transpose is the array, and
    which the network transposes and reshapes. `result` is (shape, dtype).
    """
    block, values, names = Block(), [], []
    for place, (array, kind) in enumerate(operands):
        dtype = DType.of(array.dtype)
        if isinstance(kind, str) and kind == "constant":
            key = weights.put(f"c{place}", array)
            op = ConstantOp.make([], attr.tile_type(array.shape, dtype), node=key, tensor=key, key=key)
            block.add_op(op)
            values.append(op.result)
            continue
        names.append(f"x{place}")
        if kind == "input":
            values.append(block.insert_arg(attr.tile_type(array.shape, dtype), len(block.args)))
            continue
        perm, split = kind
        shape = [split[perm.index(axis)] for axis in range(len(perm))]
        argument = block.insert_arg(attr.tile_type(shape, dtype), len(block.args))
        turned = TransposeOp.make(
            [argument], attr.tile_type(split, dtype), node=f"t{place}", tensor=f"t{place}", perm=perm
        )
        flat = ReshapeOp.make([turned.result], attr.tile_type(array.shape, dtype), node=f"r{place}", tensor=f"r{place}")
        block.add_ops([turned, flat])
        values.append(flat.result)
    shape, dtype = result
    op = GenericOp.make(values, attr.tile_type(shape, dtype), node="nest", tensor="y", **nest_properties(nest))
    block.add_ops([op, ReturnOp(op.result)])
    kind = FunctionType.from_lists([argument.type for argument in block.args], [op.result.type])
    named = [ArrayAttr([DictionaryAttr({"onnx.name": StringAttr(n)}) for n in part]) for part in (names, ["y"])]
    module = ModuleOp([FuncOp("main", kind, Region(block), arg_attrs=named[0], res_attrs=named[1])])
    module.verify()
    return module


def inputs_of(operands):
    """What the network is given, by name."""
    sample = {}
    for place, (array, kind) in enumerate(operands):
        if kind == "input":
            sample[f"x{place}"] = array
        elif kind != "constant":
            perm, split = kind
            turned = array.reshape(split).transpose(np.argsort(perm))
            sample[f"x{place}"] = np.ascontiguousarray(turned).reshape(turned.shape)  # scalars stay scalars
    return sample


def compile_module(build, arch, cores, granularity, passes=PIPELINE):
    """The programs that `passes` make of the module that `build` makes, given the weight store."""
    context = make_context(arch, CompileOptions(cores=cores, granularity=granularity))
    module = build(context.weights)
    run_pipeline(passes, context, module)
    made = list(generate(module, context.weights))
    known = {core.program.core for core in made}
    for core in made:
        validate_program(core.program, arch, f"core {core.program.core}", known)
    return Compiled(
        module,
        {core.program.core: core.program for core in made},
        {core.program.core: [padded(entry) for entry in core.weights] for core in made},
        tensors(module, "input"),
        tensors(module, "output"),
        global_size(module),
        arch,
    )


_FUNCTIONS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "lt": np.less,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "neg": np.negative,
    "abs": np.abs,
    "select": np.where,
}


def evaluate(nest, arrays, result):
    """The result of a nest, point by point."""
    shape, dtype = result
    made = np.full(shape, COMBINES[nest.combine].start(dtype) if nest.combine else 0, dtype.numpy)
    for point in itertools.product(*map(range, nest.sizes)):
        at = [tuple(_index(index, point) for index in indices) for indices in (*nest.sources, nest.target)]
        values = [array[place] for array, place in zip(arrays, at, strict=False)]
        for step in nest.body.steps:
            if step.fn == "constant":
                values.append(step.dtype.numpy.type(step.number))
            elif step.fn == "index":
                values.append(step.dtype.numpy.type(point[step.number]))
            elif step.fn == "cast":
                values.append(_saturated(values[step.args[0]], step.dtype))
            else:
                with np.errstate(over="ignore", invalid="ignore"):
                    value = _FUNCTIONS[step.fn](*(values[arg] for arg in step.args))
                values.append(np.asarray(value).astype(step.dtype.numpy)[()])
        target = at[-1]
        if nest.combine:
            function = _FUNCTIONS[COMBINES[nest.combine].function]
            with np.errstate(over="ignore", invalid="ignore"):
                made[target] = function(made[target], values[-1])
        else:
            made[target] = values[-1]
    return made


def _saturated(value, dtype):
    """`value`, small enough to be exact as a float, as an element of `dtype`."""
    if dtype.is_float:
        return dtype.numpy.type(value)
    limits = np.iinfo(dtype.numpy)
    return dtype.numpy.type(np.clip(np.rint(np.float64(value)), limits.min, limits.max))


def _index(index, point):
    return index.constant + sum(factor * point[dim] for dim, factor in index.factors)
