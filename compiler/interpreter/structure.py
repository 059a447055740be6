"""What surrounds operations on tensors: the function that is the network, and dialect `spat` on tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    impl,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation

from compiler.basis.weights import Array
from compiler.dialects import attributes as attr
from compiler.dialects import pim, spat
from compiler.dialects.kernel import KernelOp
from compiler.dialects.onnx_op import NAME_ATTRIBUTE, OnnxOp
from compiler.dialects.types import dtype_of, element_dtype
from compiler.interpreter.calls import KernelCall, TileRows
from compiler.interpreter.dispatch import functions_by_kind
from compiler.interpreter.kernels import run_kernel
from compiler.interpreter.world import MadeValue, World, as_declared
from emu.isa.dtypes import DType
from emu.program.form import Form, box_slices


def names_of(attributes: ArrayAttr[DictionaryAttr] | None, count: int, default: str) -> list[str]:
    """The names of arguments or results of the function that is the network."""
    found = [entry.data.get(NAME_ATTRIBUTE) for entry in attributes or ()] or [None] * count
    return [name.data if isinstance(name, StringAttr) else f"{default}{place}" for place, name in enumerate(found)]


class Teller(Interpreter.Listener):
    """Tells of every tensor that an operation of the `onnx` level makes; `op` is the operation that runs."""

    def __init__(self, world: World) -> None:
        self.world, self.op = world, None

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        """It runs from now on."""
        self.op = op

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        """One or more tensors, whole."""
        if isinstance(op, OnnxOp):
            for name, array in zip(op.tensor_names, results, strict=True):
                self.world.tell(MadeValue(op, array, name))


@register_impls
class NetworkFunctions(InterpreterFunctions):
    """`func.func`, of which the network is one, and its return."""

    def __init__(self, world: World) -> None:
        self.world = world

    @impl(FuncOp)
    def run_function(self, interpreter: Interpreter, op: FuncOp, args: PythonValues) -> PythonValues:
        """Inputs by name into the body, outputs by name out of it."""
        names = names_of(op.arg_attrs, len(op.body.block.args), "input")
        made = interpreter.run_ssacfg_region(op.body, tuple(self.world.inputs[name] for name in names))
        for name, array in zip(names_of(op.res_attrs, len(made), "output"), made, strict=True):
            self.world.outputs[name] = array
        return ()

    @impl_terminator(ReturnOp)
    def run_return(self, interpreter: Interpreter, op: ReturnOp, args: PythonValues) -> Any:
        """The results of the network."""
        return ReturnedValues(args), ()


@register_impls
class SpatFunctions(InterpreterFunctions):
    """Layers and computes, of whole tensors or of tiles: each is its body."""

    def __init__(self, world: World) -> None:
        self.world = world

    @impl(spat.InputOp)
    def run_input(self, interpreter: Interpreter, op: spat.InputOp, args: PythonValues) -> PythonValues:
        """A box of an input."""
        (box,) = op.boxes.data
        physical = op.form.data.physical(self.world.inputs[op.tensor.data])
        return (np.ascontiguousarray(physical[box_slices(box)]),)

    @impl(spat.OutputOp)
    def run_output(self, interpreter: Interpreter, op: spat.OutputOp, args: PythonValues) -> PythonValues:
        """Boxes put together."""
        form = op.form.data
        whole = np.zeros(form.sizes, element_dtype(op.element).numpy)
        for box, tile in zip(op.boxes.data, args, strict=True):
            whole[box_slices(box)] = tile
        self.world.outputs[op.tensor.data] = form.logical(whole)
        return ()

    @impl(spat.JoinOp)
    def run_join(self, interpreter: Interpreter, op: spat.JoinOp, args: PythonValues) -> PythonValues:
        """Parts one after another."""
        return (np.concatenate(args, axis=op.along),)

    @impl(spat.ProductOp)
    def run_product(self, interpreter: Interpreter, op: spat.ProductOp, args: PythonValues) -> PythonValues:
        """Its body."""
        return self._body(interpreter, op, args)

    @impl(spat.PlainLayerOp)
    def run_layer(self, interpreter: Interpreter, op: spat.PlainLayerOp, args: PythonValues) -> PythonValues:
        """Its body."""
        return self._body(interpreter, op, args)

    @impl(spat.ComputeOp)
    def run_compute(self, interpreter: Interpreter, op: spat.ComputeOp, args: PythonValues) -> PythonValues:
        """Its body."""
        return self._body(interpreter, op, args)

    @impl_terminator(spat.YieldOp)
    def run_yield(self, interpreter: Interpreter, op: spat.YieldOp, args: PythonValues) -> Any:
        """The results of a body."""
        return ReturnedValues(args), ()

    def _body(self, interpreter: Interpreter, op: spat.BodyOp, args: PythonValues) -> PythonValues:
        made = interpreter.run_ssacfg_region(op.body, args)
        for array, name, form, box in zip(made, op.tensors, op.forms.data, op.boxes.data, strict=True):
            if name.data and form is not None:
                self.world.tell(MadeValue(op, array, name.data, form, box))
        return made


_OF_BUFFERS = ("segments", "node", "part", "rows", "unit")  # properties that tell of buffers, or where a kernel is


def key_of(op: KernelOp, owner: Operation, index: int) -> tuple[object, ...]:
    """Which result of which kernel of which part of a node, whatever core it is on: `owner` tells node and part."""
    node, part = (owner.properties.get(name) for name in ("node", "part"))
    own = tuple((name, value) for name, value in sorted(op.properties.items()) if name not in _OF_BUFFERS)
    return (node, part, op.name, index, op.output_shapes[index], own)


def tensor_kernels(kinds: Iterable[type[KernelOp]], world: World) -> InterpreterFunctions:
    """Implementations of kernels on tensors."""

    def run(interpreter: Interpreter, op: KernelOp, args: PythonValues) -> PythonValues:
        arrays = cast("Sequence[Array]", args)
        tiles = [TileRows(array, 0, len(array)) for array in arrays]
        made = run_kernel(KernelCall(op, tiles, 0, op.output_shapes[0][0], world))
        results = tuple(as_declared(op, index, array) for index, array in enumerate(made))
        owner = op.parent_op()
        assert owner is not None
        for index, array in enumerate(results):
            world.tell(MadeValue(op, array, key=key_of(op, owner, index)))
        return results

    return functions_by_kind(dict.fromkeys(kinds, run))


def inputs_of(module: ModuleOp) -> list[tuple[str, Form, DType]]:
    """The inputs of a network at any level: name, logical shape (in a form, whatever its axes), element type."""
    found = dict[str, tuple[str, Form, DType]]()
    for op in module.ops:
        if isinstance(op, FuncOp):
            names = names_of(op.arg_attrs, len(op.body.block.args), "input")
            for name, value in zip(names, op.body.block.args, strict=True):
                shape = attr.shape_of(value)
                found[name] = name, Form(shape, shape, ()), dtype_of(value)
        elif isinstance(op, spat.InputOp):
            found.setdefault(op.tensor.data, (op.tensor.data, op.form.data, dtype_of(op.tile)))
        elif isinstance(op, pim.TensorOp) and op.kind.data == "input":
            found[op.tensor.data] = op.tensor.data, op.form.data, element_dtype(op.element)
    return list(found.values())
