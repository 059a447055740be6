"""What a decoder's values are after a few numbers of tokens: the shape of each, and the elements of static ones.

A value is static if it depends on shapes and constants alone. It may depend on the position, as a mask of later tokens
does, and so do the lengths of axes: both are found by looking at the network as it is at three positions.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, TypeProto, helper, numpy_helper

from compiler.basis.limits import MAX_FOLDED
from compiler.basis.weights import Array
from compiler.caches.lengths import Lengths, fitted_shape
from compiler.frontend.body import used_names
from compiler.frontend.foldable import SHAPE_OPERATORS, is_foldable
from compiler.frontend.folding import Folder, fold_shape
from compiler.frontend.graph_checks import first_line, live_nodes, node_label, opset_of
from compiler.frontend.model import LoadedModel
from emu.errors import CompileError, option

_SMALL = 4096  # elements of a static operand that shape inference may want to see
_ATTENTION_PAST, _ATTENTION_NEW = (4, 5), (1, 2)  # inputs of Attention


def surveyed_positions(room: int) -> tuple[int, int, int]:
    """Three positions, none of them zero, as far up as `room` tokens allow."""
    last = max(room, 3)
    return (last, last - 1, max(1, min(last // 2, last - 2)))


class ValueSurvey:
    """`dims` of each value whose shape is known, elements of `static` ones at each of `positions`.

    `dependent` are the static values that are not the same at all of them, or that are made of such.
    """

    def __init__(self, model: LoadedModel, inputs: Mapping[str, Lengths], positions: Sequence[int]) -> None:
        """Look at `model` with `inputs`; raises CompileError where shapes do not fit together or are not straight."""
        self.model, self.positions = model, tuple(positions)
        self.opset = opset_of(model.proto, model.where)
        self.dims: dict[str, Lengths] = {}
        self.static: dict[str, list[Array]] = {}
        self.dependent: set[str] = set()
        self.kinds: dict[str, int] = {}  # element type of each value, as ONNX numbers them
        self.nodes = live_nodes(model.proto.graph)
        self.made_by = {name: node for node in self.nodes for name in node.output if name}
        stored = sum(array.nbytes for array in model.arrays.values())
        self._folder = Folder(model.where, stored + MAX_FOLDED)  # most of what is folded here is dropped again
        kinds = {value.name: value.type.tensor_type.elem_type for value in model.proto.graph.input}
        for name, array in model.arrays.items():
            self._set_static(name, [array] * len(self.positions), dependent=False)
        for name, lengths in inputs.items():
            self.dims[name], self.kinds[name] = lengths, kinds[name]
        for node in self.nodes:
            self._visit(node)

    def is_touched(self, node: NodeProto) -> bool:
        """Whether an operand of a node depends on the position, in its shape or its elements."""
        return any(name in self.dependent or self.grows(name) for name in used_names(node))

    def grows(self, name: str) -> bool:
        """Whether an axis of a value grows."""
        return any(length.grows for length in self.dims.get(name, ()))

    def values(self, name: str) -> list[Array] | None:
        """The elements of a static value at each position."""
        return self.static.get(name)

    def _visit(self, node: NodeProto) -> None:
        if node.op_type in SHAPE_OPERATORS and is_foldable(node, ()):
            self._read_shape(node)
        elif is_foldable(node, self.static):
            self._fold(node)
        else:
            self._infer(node)

    def _read_shape(self, node: NodeProto) -> None:
        dims = self.dims.get(node.input[0])
        if dims is None:
            return
        values = [fold_shape(node, tuple(length.at(position) for length in dims))[0] for position in self.positions]
        self._set_static(node.output[0], values, dependent=self.grows(node.input[0]))

    def _fold(self, node: NodeProto) -> None:
        """Evaluate a node of static operands: once, if they are the same everywhere."""
        dependent = not self.dependent.isdisjoint(node.input)
        made: list[list[Array]] = []
        for place in range(len(self.positions) if dependent else 1):
            operands = [self.static[name][place] if name else None for name in node.input]
            try:
                made.append(self._folder.fold(node, operands, self.opset))
            except CompileError as error:
                if not dependent:
                    raise
                raise CompileError(
                    f"{error}; that is after {self.positions[place]} tokens, and the network may have places for fewer:"
                    f" try a smaller {option('max_length')}"
                ) from error
        for name, *values in zip(filter(None, node.output), *made, strict=True):
            self._set_static(name, values if dependent else values * len(self.positions), dependent)

    def _set_static(self, name: str, values: list[Array], dependent: bool) -> None:
        self.static[name] = values
        self.kinds[name] = helper.np_dtype_to_tensor_dtype(values[0].dtype)
        if dependent:
            self.dependent.add(name)
        dims = fitted_shape(self.positions, [array.shape for array in values])
        if dims is not None:
            self.dims[name] = dims

    def _infer(self, node: NodeProto) -> None:
        """The shapes of what a node makes at run time."""
        shapes: list[dict[str, list[int] | None]] = []
        for place in range(len(self.positions)):
            shapes.append(self._shapes_at(node, place))
        for index, name in enumerate(node.output):
            found = [entry.get(name) for entry in shapes]
            if name and None not in found:
                dims = fitted_shape(self.positions, cast("list[list[int]]", found))
                if dims is None:
                    raise self.refusal(
                        node, f"makes {' and '.join(map(str, found))}, not longer by as much with each token"
                    )
                self.dims[name] = dims
            elif name and node.op_type == "Attention" and index in _ATTENTION_NEW:
                self._infer_present(node, index)
            if name and name not in self.dims and self.is_touched(node):
                raise self.refusal(node, "makes a result of a shape that ONNX cannot tell")

    def _infer_present(self, node: NodeProto, index: int) -> None:
        """The shape of keys or values with those of the steps before, where ONNX does not infer it."""
        past = node.input[_ATTENTION_PAST[index - 1]] if len(node.input) > _ATTENTION_PAST[index - 1] else ""
        old, new = self.dims.get(past), self.dims.get(node.input[index])
        if old is not None and new is not None:
            added = new[-2].fixed
            longer = type(old[2])(old[2].fixed + added, old[2].growth)
            self.dims[node.output[index]] = (*old[:2], longer, *old[3:])
            self.kinds[node.output[index]] = self.kinds[past]

    def _shapes_at(self, node: NodeProto, place: int) -> dict[str, list[int] | None]:
        """What ONNX infers for the outputs of a node at one position; nothing for an operator that it does not know."""
        types, data = dict[str, TypeProto](), dict[str, TensorProto]()
        for name in filter(None, node.input):
            values, dims = self.static.get(name), self.dims.get(name)
            if name not in self.kinds:
                return {}
            shape = [size.at(self.positions[place]) for size in dims] if dims is not None else None
            if values:
                shape = list(values[place].shape)
                if values[place].size <= _SMALL:
                    data[name] = numpy_helper.from_array(np.ascontiguousarray(values[place]).reshape(shape), name)
            types[name] = helper.make_tensor_type_proto(self.kinds[name], shape)
        try:
            schema = onnx.defs.get_schema(node.op_type, self.opset, node.domain)
            inferred = onnx.shape_inference.infer_node_outputs(
                schema, node, types, data, opset_imports=list(self.model.proto.opset_import)
            )
        except onnx.defs.SchemaError:
            return {}
        except Exception as error:  # C++ raises more than InferenceError
            if not self.is_touched(node):
                return {}
            reason = f"does not fit to its operands after {self.positions[place]} tokens ({first_line(error)})"
            raise self.refusal(node, reason) from error
        found: dict[str, list[int] | None] = {}
        for name, kind in inferred.items():
            tensor = kind.tensor_type
            self.kinds[name] = tensor.elem_type
            known = tensor.HasField("shape") and all(dim.HasField("dim_value") for dim in tensor.shape.dim)
            found[name] = [dim.dim_value for dim in tensor.shape.dim] if known else None
        return found

    def refusal(self, node: NodeProto, reason: str, cache: str = "") -> CompileError:
        """The error for a node that a growing cache reaches, and what to do."""
        known = cache or next((name for name in itertools.chain(self.model.inputs) if self.grows(name)), "")
        return CompileError(
            f"{self.model.where}: node '{node_label(node)}' ({node.op_type}) {reason}, which {option('max_length')}"
            f" cannot give a fixed shape while the cache '{known}' grows: change the node, or fix the shapes of the"
            f" caches for a single step by {option('shapes')}"
        )
