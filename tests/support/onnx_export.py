"""The tests' own exporter: runs an ONNX model, and an `onnx` module by writing it back as ONNX."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from exact_sessions import exact_session
from nest_export import nest_nodes
from onnx import AttributeProto, ModelProto, ValueInfoProto, helper, numpy_helper
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from compiler.dialects import onnx as dialect
from compiler.dialects.nest import GenericOp
from compiler.dialects.types import dtype_of
from compiler.session.context import CompilerContext

OPSET = 20
NAMING = ("node", "tensor", "tensors", "key")  # properties that are no ONNX attributes


def run_onnx(model: ModelProto, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs of `model` by onnxruntime, one thread, warnings off."""
    return exact_session(model).run(None, dict(inputs))  # its optimiser quantises activations


def plain(attribute: Attribute) -> int | float | list[int]:
    """The Python value of a property."""
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute.value.data
    assert isinstance(attribute, DenseArrayBase)
    return list(attribute.get_values())


def value_info(name: str, value: SSAValue) -> ValueInfoProto:
    """What ONNX says of a value: name, element type, shape."""
    code = helper.np_dtype_to_tensor_dtype(dtype_of(value).numpy)
    return helper.make_tensor_value_info(name, code, value.type.get_shape())


class Exporter:
    """Writes a module back as ONNX, knowing nothing of importer and passes."""

    def __init__(self, context: CompilerContext) -> None:
        self.context = context
        self.graph = onnx.GraphProto(name="exported")
        self.names: dict[SSAValue, str] = {}

    def name(self, value: SSAValue) -> str:
        return self.names.setdefault(value, f"v{len(self.names)}")

    def constant(self, array: np.ndarray, name: str) -> str:
        self.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def operation(self, op: dialect.OnnxOp) -> None:
        """Append one operation; what ONNX wants as inputs is taken out of the properties."""
        output = self.name(op.results[0])
        if isinstance(op, dialect.ConstantOp):
            self.constant(self.context.weights.get(op.key.data), output)
            return
        inputs = [self.name(operand) for operand in op.operands]
        if isinstance(op, GenericOp):
            self.graph.node.extend(nest_nodes(op, inputs, output, self.constant))
            return
        attributes = {name: plain(value) for name, value in op.properties.items() if name not in NAMING}
        if isinstance(op, dialect.ReshapeOp):
            inputs.append(self.constant(np.array(op.shape, np.int64), f"{output}_shape"))
        if isinstance(op, dialect.SqueezeOp | dialect.UnsqueezeOp | dialect.ReduceMeanOp):
            inputs.append(self.constant(np.array(attributes.pop("axes"), np.int64), f"{output}_axes"))
        if isinstance(op, dialect.SplitOp):
            inputs.append(self.constant(np.array(attributes.pop("split"), np.int64), f"{output}_split"))
        if isinstance(op, dialect.CumSumOp):
            inputs.append(self.constant(np.array(attributes.pop("axis"), np.int64), f"{output}_axis"))
        if isinstance(op, dialect.PadOp):
            inputs.append(self.constant(np.array(attributes.pop("pads"), np.int64), f"{output}_pads"))
            value = np.array(attributes.pop("value")).astype(dtype_of(op.x).numpy)
            inputs.append(self.constant(value, f"{output}_value"))
        if isinstance(op, dialect.ClipOp):
            bounds = {name: attributes.pop(name, absent) for name, absent in (("min", -np.inf), ("max", np.inf))}
            inputs += [self.constant(np.array(bound, np.float32), f"{output}_{name}") for name, bound in bounds.items()]
        kind = op.name.removeprefix("onnx.")
        node = helper.make_node(kind, inputs, [self.name(result) for result in op.results])
        for name, value in attributes.items():  # the type of an empty list would be unknown
            code = AttributeProto.INTS if isinstance(value, list) else None
            node.attribute.append(helper.make_attribute(name, value, attr_type=code))
        self.graph.node.append(node)

    def model(self, module: ModuleOp) -> ModelProto:
        """The whole module."""
        main = next(op for op in module.ops if isinstance(op, FuncOp))
        assert isinstance(main.arg_attrs, ArrayAttr)
        for argument, names in zip(main.args, main.arg_attrs, strict=True):
            self.names[argument] = names.data["onnx.name"].data
            self.graph.input.append(value_info(self.names[argument], argument))
        for op in main.body.block.ops:
            if isinstance(op, ReturnOp):
                for index, value in enumerate(op.arguments):
                    self.graph.node.append(helper.make_node("Identity", [self.name(value)], [f"out{index}"]))
                    self.graph.output.append(value_info(f"out{index}", value))
            else:
                assert isinstance(op, dialect.OnnxOp)
                self.operation(op)
        return helper.make_model(self.graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def evaluate_module(module: ModuleOp, context: CompilerContext, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs of an `onnx` module by onnxruntime."""
    return run_onnx(Exporter(context).model(module), inputs)
